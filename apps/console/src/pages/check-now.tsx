import { useState } from 'preact/hooks';
import { ask, now } from '../data/http.js';
import type { CensusCheck, LifeCheck, LogStatus } from '../data/types.js';
import { useDeed } from '../data/use-deed.js';
import { announce } from '../view/announcer.js';
import { Icon } from '../view/icon.js';
import { AsOf, Command } from '../view/small.js';
import { Problem } from '../view/states.js';
import { checksOf, type Check, type Found } from '../words/checks.js';
import { count } from '../words/names.js';

const MOST_PAGES = 20;

/** What the ledger can tell of itself at once, and what it takes to check the log (V2 is the command's). */
export function CheckNow() {
  const [found, setFound] = useState<{ readonly checks: readonly Check[]; readonly at: number }>();
  const { isSending, problem, act } = useDeed();
  const check = () =>
    act(async () => {
      const checks = checksOf(await look());
      setFound({ checks, at: now() });
      const bad = checks.filter(({ isWell }) => !isWell).length;
      announce(bad === 0 ? 'Checked: all is well.' : `Checked: ${count(bad, 'thing is', 'things are')} not well.`);
    });
  return (
    <section aria-labelledby="check-title">
      <header class="head">
        <h2 id="check-title">Check now</h2>
        <button type="button" class="button small" disabled={isSending} onClick={check}>
          {isSending ? 'Checking…' : found ? 'Check again' : 'Check what the ledger says of itself'}
        </button>
        <AsOf at={found?.at} />
      </header>
      {problem && <Problem of={problem} what="The check did not go through." />}
      {found && (
        <ul class="sums">
          {found.checks.map(({ isWell, says }) => (
            <li key={says}>
              <span class={isWell ? 'ok' : 'no'}>
                <Icon name={isWell ? 'check' : 'warn'} small />
              </span>
              <span>
                {says}
                <span class="sr">{isWell ? ' Well.' : ' Look at it.'}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        All this comes from the server that is asked. Whether the log itself is what was written, its hash chains and signed checkpoints say
        to who has a copy of them:
      </p>
      <Command text="npx doorledger verify" />
    </section>
  );
}

/** @throws Refusal */
async function look(): Promise<Found> {
  const status = await ask<LogStatus>('/v1/log');
  const lives: LifeCheck[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await ask<CensusCheck>(`/v1/census/check?limit=100${from}`);
    lives.push(...answer.items);
    cursor = answer.cursor;
    if (cursor === undefined) break;
  }
  return { status, lives, isCut: cursor !== undefined };
}
