import type { Page } from 'playwright-core';
import { describeInBrowser } from './browser.js';
import { ConsoleWorld } from './console-world.js';

jest.setTimeout(120_000);

const APPROVER = 'bob as approver as auditor';

describeInBrowser('The Inbox', () => {
  const role = { deciders: 'role' as const, roles: ['approver'] };
  const on = new ConsoleWorld({ desk: { ...role, decideByMs: 600_000 }, quick: role, two: { ...role, quorum: 2 } }, APPROVER);
  const inbox = (person?: string): Promise<Page> => on.at('inbox', person);
  const open = async (page: Page, requestId: string) => {
    await page.goto(`/#/inbox/${requestId}`);
    await page.getByRole('region', { name: 'The arguments, line by line' }).waitFor();
  };
  const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  it('N51 and N53 approve a call from the page: its effect is there once, and each step is said when the log says it', async () => {
    const { requestId, turnId } = await on.world.paused('ann', 'approve', 'desk', { note: 'approve', amount: 7 });
    const page = await inbox();
    await page.getByRole('link', { name: /desk\.pay/ }).click();
    await page.getByText('"approve"').waitFor();
    await page.getByRole('heading', { name: /^ann [0-9a-f]{8} asks to call desk\.pay$/ }).waitFor();
    await page.getByText('ann of https://issuer.example').waitFor();
    await page.getByRole('button', { name: /^Approve: run desk\.pay once/ }).click();
    expect(on.world.desk.times('approve')).toBe(0);
    await page.getByRole('button', { name: /^Approve: run desk\.pay once/ }).click();
    const steps = page.locator('.progress li.is');
    await steps.nth(3).waitFor();
    expect(await steps.allInnerTexts()).toEqual([
      expect.stringContaining('decision written'),
      expect.stringContaining('it stands'),
      expect.stringContaining('sent'),
      expect.stringMatching(/finished/),
    ]);
    expect(await on.world.ended('ann', turnId)).toMatchObject({ output: 'paid approve' });
    expect(on.world.desk.times('approve')).toBe(1);
    expect((await on.world.settled(requestId, 'approved')).consent).toMatchObject({ status: 'approved' });
  });

  it('N34 declines with a reason that the agent is told; a failure loses nothing that was typed', async () => {
    const { requestId, turnId } = await on.world.paused('ann', 'decline', 'desk', { note: 'decline' });
    const page = await inbox();
    await open(page, requestId);
    await page.getByRole('button', { name: /^Decline…/ }).click();
    await page.getByLabel('Why not? The agent is told.').fill('Ask the customer first.');
    await page.route('**/decision', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: /^Decline: desk\.pay does not run/ }).click();
    await says(page, 'No answer came from the server.');
    expect(await page.getByLabel('Why not? The agent is told.').inputValue()).toBe('Ask the customer first.');
    await page.getByRole('button', { name: /^Decline: desk\.pay does not run/ }).click();
    await says(page, 'A person declined. The call did not run and never will.');
    expect((await on.world.ended('ann', turnId)).output).toContain('Ask the customer first.');
    expect(on.world.desk.times('decline')).toBe(0);
  });

  it('N55 approves with changes: what was typed is what runs', async () => {
    const { requestId } = await on.world.paused('ann', 'change', 'desk', { note: 'asked', amount: 7 });
    const page = await inbox();
    await open(page, requestId);
    await page.getByRole('button', { name: /^Change…/ }).click();
    await page.getByLabel('Arguments as JSON').fill('{"note": "changed", "amount": 8');
    await says(page, /This is no JSON/);
    await page.getByLabel('Arguments as JSON').fill('{"note": "changed", "amount": 8}');
    await says(page, '2 values differ from what the agent asked');
    await page.getByRole('button', { name: /^Approve as changed/ }).click();
    await page.locator('.progress li.is').nth(3).waitFor();
    expect(page.url()).not.toContain(requestId);
    expect([on.world.desk.times('asked'), on.world.desk.times('changed')]).toEqual([0, 1]);
  });

  it('N12 and N13 let one of two browsers win; the other is told what stands, and the call runs once', async () => {
    const { requestId, turnId } = await on.world.paused('ann', 'race', 'quick', { note: 'race' });
    const pages = await Promise.all([inbox('tina as approver as auditor'), inbox('tom as approver as auditor')]);
    await Promise.all(
      pages.map(async (page) => {
        await open(page, requestId);
        await page.keyboard.press('a');
        await page.getByRole('form', { name: 'Approve: confirm' }).waitFor();
      }),
    );
    await Promise.all(pages.map((page) => page.keyboard.press('Enter')));
    await Promise.all(pages.map((page) => page.locator('.progress li.is').nth(3).waitFor()));
    await on.world.ended('ann', turnId);
    const late = await Promise.all(pages.map((page) => page.getByText(/Somebody was first: approved\. Your approval is void/).count()));
    expect(late.sort()).toEqual([0, 1]);
    expect(await pages[late[0] === 1 ? 0 : 1].locator('[role=alert]').count()).toBe(0);
    expect(on.world.desk.times('race')).toBe(1);
  });

  it('N51 takes one from the keyboard alone, from the list to the end', async () => {
    const { turnId } = await on.world.paused('ann', 'keys', 'quick', { note: 'keys' });
    const page = await inbox();
    await page.getByRole('link', { name: /quick\.pay/ }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('link', { name: /quick\.pay/ }).waitFor();
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('j');
      if (await page.evaluate(() => document.activeElement?.textContent?.includes('quick.pay') ?? false)) break;
    }
    await page.keyboard.press('Enter');
    await page.getByText('"keys"').waitFor();
    await page.keyboard.press('d');
    await page.keyboard.type('a typed d, c and ? do nothing');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Decline');
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    expect(await on.world.ended('ann', turnId)).toMatchObject({ output: 'paid keys' });
    expect(on.world.desk.times('keys')).toBe(1);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  it('N50 says that a vote stands, and how many are still needed', async () => {
    const { requestId } = await on.world.paused('ann', 'two', 'two', { note: 'two' });
    const page = await inbox();
    await open(page, requestId);
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await says(page, 'Your vote stands: 1 of 2. The call waits for the others.');
    expect(on.world.desk.times('two')).toBe(0);
  });
});
