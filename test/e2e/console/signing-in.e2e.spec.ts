import type { Browser, Page } from 'playwright-core';
import { serve, type Served } from '../../faults/served-process.js';
import { SignInWorld } from '../sign-in/sign-in-world.js';
import { describeInBrowser, launch, pageOf, troubles } from './browser.js';

jest.setTimeout(120_000);

describeInBrowser('Signing in to the console', () => {
  let world: SignInWorld;
  let served: Served;
  let browser: Browser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([
      SignInWorld.start({ ann: {}, tina: { name: 'Tina', roles: ['treasurer', 'approver'] } }),
      launch(),
    ]);
    served = await serve(`${world.dir}/data`, { ...world.env, DOORLEDGER_PORT: world.port });
  });
  afterAll(async () => {
    await browser.close();
    await served.stop();
    await world.stop();
  });
  afterEach(() => expect(troubles).toEqual([]));

  async function passProvider(page: Page, person: string): Promise<void> {
    await page.locator('input[name=login]').fill(person);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    const back = page.waitForURL(`${world.origin}/**`);
    await Promise.race([back, page.getByRole('button', { name: 'Continue' }).click()]);
    await back;
  }

  it('P1 leads through the provider and back to the opened call; what was typed outlives the sign-in', async () => {
    const { requestId, turnId } = await world.paused('ann', 'typed');
    const page = await pageOf(browser, world.origin);
    await page.goto(`/#/inbox/${requestId}`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await passProvider(page, 'tina');
    await page.getByText('"typed"').waitFor();
    expect(await page.getByText('nobody is checked').count()).toBe(0);
    await page.keyboard.press('d');
    await page.getByLabel('Why not? The agent is told.').fill('Not today.');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    await page.getByText('Decline did not go through.').waitFor();
    expect(await page.getByLabel('Why not? The agent is told.').inputValue()).toBe('Not today.');
    await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
    await passProvider(page, 'tina');
    await page.getByText('"typed"').waitFor();
    await page.keyboard.press('d');
    expect(await page.getByLabel('Why not? The agent is told.').inputValue()).toBe('Not today.');
    await page.keyboard.press('Enter');
    await page.getByText('A person declined. The call did not run and never will.').waitFor();
    const turn = await fetch(`${world.origin}/v1/turns/${turnId}`, { headers: await world.bearer('ann') });
    expect(await turn.json()).toMatchObject({ output: expect.stringContaining('Not today.') as string });
    await page.getByRole('button', { name: /^Menu of/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(world.desk.times('typed')).toBe(0);
    await page.context().close();
  });
});
