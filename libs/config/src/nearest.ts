/** Case and separators are the usual slips: `session_header` means `sessionHeader`. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** The known name somebody most likely meant, or undefined when none is near. A last part alone (`path`) finds `door.path`. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name.slice(0, 100));
  let best: string | undefined;
  let least = Math.max(2, Math.floor(wanted.length / 4)) + 1;
  for (const candidate of known) {
    const last = candidate.slice(candidate.lastIndexOf('.') + 1);
    const far = Math.min(distance(wanted, plain(candidate)), distance(wanted, plain(last)) + (last === candidate ? 0 : 0.5));
    if (far < least && far < wanted.length) [best, least] = [candidate, far];
  }
  return best;
}
