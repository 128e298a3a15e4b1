import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** From this offset on, a partition's records were written under this leader epoch. */
interface Span {
  readonly epoch: number;
  readonly start: number;
}

/** Leader epochs as a broker keeps them beside a partition's records: Kafka's console consumer does not print them. */
export class LeaderEpochs {
  readonly #dataDir: string;
  readonly #spans = new Map<string, readonly Span[]>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  of(topic: string, partition: number, offset: number): number {
    const name = `${topic}-${partition}`;
    let spans = this.#spans.get(name);
    if (!spans) this.#spans.set(name, (spans = readCheckpoint(readFileSync(join(this.#dataDir, name, 'leader-epoch-checkpoint'), 'utf8'))));
    return spans.findLast(({ start }) => start <= offset)?.epoch ?? -1;
  }
}

/** `version`, `count`, then `epoch start` per line. */
export const readCheckpoint = (text: string): Span[] =>
  text
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => {
      const [epoch, start] = line.split(' ').map(Number);
      return { epoch: epoch!, start: start! };
    });
