import type { Adoption, IdentityChange } from '@doorledger/event-log';
import type { LostRecords } from './lost-records.js';

/** What an operator reads before their word: each difference and what follows from it, a line each. */
export function adoptionLines({ from, to, changes, isNeeded }: Adoption, lost: readonly LostRecords[]): string[] {
  if (!isNeeded) return ['The log is who it says it is: there is nothing to adopt.'];
  const isOther = from?.logId !== to.logId;
  return [
    ...(from ? [] : ['The log does not say who it is: its topic `system` was made anew, or it was never begun.']),
    ...changes.map(lineOf),
    ...lost.map(
      ({ topic, partition, end, read }) =>
        `${topic} partition ${partition} ends at ${end}, and the ledger has read it up to ${read}: records are gone. Afterwards: doorledger replay --switch.`,
    ),
    ...(isOther ? ['It is another log from then on: consents that were asked for before cannot be given any more.'] : []),
  ];
}

function lineOf(change: IdentityChange): string {
  switch (change.of) {
    case 'place':
      return `It was written at ${change.was} and lies at ${change.is} now.`;
    case 'key':
      return 'The deployment key is another one: sessions, names and content of before are lost.';
    case 'topic':
      return `${change.topic} had ${change.was ?? 'no'} partitions and has ${change.is ?? 'none'} now: a session may lie in another one than before.`;
    case 'fold':
      return `It was folded by version ${change.was} and will be by ${change.is}: releases that do not know it are refused.`;
  }
}
