import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { call } from '../consent/consent-world.js';
import { describeInBrowser } from './browser.js';
import { ConsoleWorld } from './console-world.js';

jest.setTimeout(120_000);

const APPROVER = 'bob as approver as auditor';

describeInBrowser('Grants in the console', () => {
  const role = { deciders: 'role' as const, roles: ['approver'] };
  const on = new ConsoleWorld({ desk: role, two: { ...role, quorum: 2 } }, APPROVER);
  const at = on.at.bind(on);
  const drafted = async (page: Page) => {
    await page.getByRole('region', { name: 'The arguments, line by line' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Calls that would run unasked' }).waitFor();
  };
  const asks = async (session: string, args: object) => (await on.world.say('ann', session, call('desk', args))).status === 202;
  const standing = async () => (await on.world.get(APPROVER, '/v1/grants')).body.items as readonly { readonly grantId: string }[];
  const confirm = (page: Page) => page.getByRole('button', { name: 'Give the grant, and run desk.pay once' }).click();

  it('N52 says what a grant would cover before it is given, covers just that, and ends when somebody ends it', async () => {
    const { requestId, turnId } = await on.world.paused('ann', 'allow', 'desk', { note: 'allow', amount: 7 });
    const page = await at(`inbox/${requestId}`);
    await drafted(page);
    await page.getByRole('group', { name: 'What amount may be' }).getByRole('button', { name: '0 to 7' }).click();
    expect(await page.locator('.covers li').allInnerTexts()).toEqual([
      'amount any number from 0 to 7',
      'note exactly "allow"',
      'Each of them has to be there, and no other one.',
    ]);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await page.getByLabel('How many calls, 1 to 1000').fill('3');
    await page.route('**/v1/grants', (route) => route.abort(), { times: 1 });
    await confirm(page);
    await page.getByText('Approve and allow such calls did not go through.').waitFor();
    expect([await standing(), on.world.desk.times('allow')]).toEqual([[], 0]);
    expect(await page.getByLabel('How many calls, 1 to 1000').inputValue()).toBe('3');
    await confirm(page);
    await page.locator('.progress li.is').nth(3).waitFor();
    await page.getByText('amount may have another value, none may be missing, and no other may be added.').waitFor();
    expect(await on.world.ended('ann', turnId)).toMatchObject({ output: 'paid allow' });
    expect(await asks('allow', { note: 'allow', amount: 6 })).toBe(false);
    expect(await asks('allow', { note: 'allow', amount: 8 })).toBe(true);
    expect(on.world.desk.times('allow')).toBe(2);

    const own = await at('inbox?view=grants', 'ann');
    await own.getByRole('link', { name: /desk\.pay.*2 calls left/ }).click();
    await own.getByText('amount any number from 0 to 7').waitFor();
    await own.getByRole('button', { name: 'End this grant…' }).click();
    await own.getByRole('button', { name: 'End it: such calls ask again' }).click();
    await own.getByText('Calls of desk.pay ask as usual.').waitFor();
    expect(await standing()).toEqual([]);
    expect(await asks('allow-again', { note: 'allow', amount: 6 })).toBe(true);
  });

  it('N52 gives one grant where the approval after it fails first, and says which of the two stands', async () => {
    const { requestId, turnId } = await on.world.paused('ann', 'half', 'desk', { note: 'half' });
    const page = await at(`inbox/${requestId}`);
    await drafted(page);
    await page.route('**/decision', (route) => route.abort(), { times: 1 });
    await page.keyboard.press('Enter');
    await page.getByText('The grant stands; this call is not approved.').waitFor();
    expect([(await standing()).length, on.world.desk.times('half')]).toEqual([1, 0]);
    await page.getByRole('button', { name: 'Approve: run desk.pay once' }).click();
    await page.locator('.progress li.is').nth(3).waitFor();
    expect(await on.world.ended('ann', turnId)).toMatchObject({ output: 'paid half' });
    await page.getByRole('link', { name: 'Look at it, or end it' }).click();
    await page.getByText('shown to whom it covers').waitFor();
    expect([(await standing()).length, on.world.desk.times('half')]).toEqual([1, 1]);
  });

  it('N52 offers no grant where several people have to approve', async () => {
    const { requestId } = await on.world.paused('ann', 'two', 'two', { note: 'two' });
    const page = await at(`inbox/${requestId}`);
    await page.getByRole('button', { name: /^Approve: run two\.pay once/ }).waitFor();
    await page.getByText('one who declines is enough to decline').waitFor();
    expect(await page.getByRole('button', { name: /such calls/ }).count()).toBe(0);
  });
});
