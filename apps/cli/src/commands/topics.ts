import { topics as definitions } from '@doorledger/contracts';
import type { CommandContext, ExitCode } from '../command-context.js';
import { Parts } from '../parts.js';

/** A table in a terminal, else one JSON document per topic. */
export async function topics(context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  const parts = new Parts(context);
  try {
    const log = await parts.log();
    const listed = await Promise.all(
      Object.values(definitions).map(async ({ name, visible, holds, claims, description }) => {
        const ranges = log.topics.has(name) ? await log.ends(name) : [];
        return {
          name,
          partitions: ranges.length,
          records: ranges.reduce((sum, { start, end }) => sum + end - start, 0),
          visible,
          holds,
          claims,
          ranges,
          description,
        };
      }),
    );
    if (!output.isTerminal) for (const topic of listed) await output.json(topic);
    else {
      await output.line(row('topic', 'partitions', 'records', 'visible', 'holds', 'ranges'));
      for (const { name, partitions, records, visible, holds, ranges } of listed)
        await output.line(row(name, partitions, records, visible, holds, ranges.map(({ start, end }) => `${start}–${end}`).join(' ')));
    }
    return 0;
  } finally {
    await parts.close();
  }
}

const row = (name: string, partitions: number | string, records: number | string, visible: string, holds: string, ranges: string): string =>
  `${name.padEnd(28)}${String(partitions).padStart(10)}${String(records).padStart(10)}  ${visible.padEnd(9)}${holds.padEnd(9)}${ranges}`;
