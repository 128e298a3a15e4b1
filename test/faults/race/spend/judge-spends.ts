import type { Violation } from '../../history.js';
import type { Heard } from './spenders.js';

/** N40, N41: each approval was told `spent` to one process, its call ran once, and afterwards everybody knows. */
export function judgeSpends(
  approvals: readonly string[],
  heard: readonly Heard[],
  received: readonly { readonly id: string }[],
): Violation[] {
  const runs = new Map<string, number>();
  for (const { id } of received) runs.set(id, (runs.get(id) ?? 0) + 1);
  return approvals.flatMap((id): Violation[] => {
    const ran = runs.get(id) ?? 0;
    const answers = heard.map((one) => one.heard[id] ?? 'nothing');
    const spent = answers.filter((answer) => answer === 'spent').length;
    const unknown = heard.filter((one) => one.unspent.includes(id)).length;
    return [
      ...(ran === 1 ? [] : [{ rule: 'N41', what: `${id} ran ${ran} times` }]),
      ...(spent === 1 && answers.every((answer) => answer === 'spent' || answer === 'not-spent')
        ? []
        : [{ rule: 'N40', what: `${id} was answered ${answers.join(' and ')}` }]),
      ...(unknown === 0 ? [] : [{ rule: 'N40', what: `${id} was spent, and ${unknown} did not see it` }]),
    ];
  });
}
