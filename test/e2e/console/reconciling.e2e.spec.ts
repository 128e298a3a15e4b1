import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { call } from '../consent/consent-world.js';
import { describeInBrowser } from './browser.js';
import { ConsoleWorld } from './console-world.js';

jest.setTimeout(120_000);

const OPERATOR = 'olga as operator';
const WHY = 'How do you know? It stays on the log for ever: no secrets';

describeInBrowser('Calls whose end nobody knows', () => {
  const approvers = { deciders: 'role' as const, roles: ['approver'] };
  const on = new ConsoleWorld({ free: undefined, gated: approvers }, OPERATOR);
  const at = on.at.bind(on);
  const say = async (page: Page, word: string, why: string) => {
    await page.getByRole('button', { name: word, exact: true }).click();
    await page.getByLabel(WHY).fill(why);
    await page.getByRole('button', { name: 'Say so…' }).click();
  };
  /** The place of the one call whose end nobody knows, from the Inbox. */
  const opened = async (page: Page, name: RegExp) => {
    await page.getByRole('button', { name: 'Unknown 1' }).click();
    await page.getByRole('link', { name }).click();
    await page.getByText('Nobody knows whether').waitFor();
  };

  it('N22 takes an operator’s word from the Inbox: a failure loses nothing typed, and the story has who said what and why', async () => {
    await on.world.losing(() => on.world.say('ann', 'free', call('free', { note: 'free' })));
    const page = await at('inbox');
    await opened(page, /free\.pay/);
    await say(page, 'It ran', 'The till has it.');
    await page.route('**/reconcile', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Say that it ran' }).click();
    await page.getByText('Your word is not known to be on the log.').waitFor();
    await page.reload();
    await page.getByText('Nobody knows whether').waitFor();
    expect(await page.getByLabel(WHY).inputValue()).toBe('The till has it.');
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await page.getByRole('button', { name: 'Say so…' }).click();
    await page.keyboard.press('Enter');
    await page.getByText('Your word stands: it ran.').first().waitFor();
    await page.getByRole('link', { name: /^session/ }).click();
    await page.getByText(/^User [0-9a-f]{8} said that the call ran$/).waitFor();
    await page.getByText('The till has it.').waitFor();
    expect(on.world.desk.times('free')).toBe(1);
  });

  it('N22 lets one of two operators be first; the card of the request says what stands', async () => {
    const { requestId } = await on.world.paused('ann', 'gated', 'gated', { note: 'gated' });
    await on.world.losing(() => on.world.vote('bob as approver', requestId, true));
    const pages = await Promise.all([at('inbox'), at('inbox', 'otto as operator')]);
    for (const page of pages) {
      await opened(page, /gated\.pay/);
      await say(page, 'It did not run', 'Nothing was booked.');
    }
    await pages[0].getByRole('button', { name: 'Say that it did not run' }).click();
    await pages[0].getByText('Your word stands: it did not run.').first().waitFor();
    await pages[1].getByText('Its end is known by now.').waitFor();
    await pages[0].getByRole('link', { name: 'the request' }).click();
    await pages[0].getByText('A person found out that the call had no effect.').waitFor();
    await pages[0].getByText('So said').waitFor();
    expect(on.world.desk.times('gated')).toBe(1);
  });

  it('P1 shows who is no operator that nobody knows, and offers them no word', async () => {
    await on.world.losing(() => on.world.say('ann', 'third', call('free', { note: 'third' })));
    const page = await at('inbox', 'ann');
    await opened(page, /free\.pay/);
    await page.getByText('An operator can look at the far side').waitFor();
    expect(await page.getByRole('button', { name: 'Say so…' }).count()).toBe(0);
    await page.getByRole('link', { name: /^session/ }).click();
    await page.getByText('Nobody knows whether').waitFor();
  });
});
