import { DoorledgerError } from '@doorledger/contracts';
import { backupSqlite } from '@doorledger/event-log';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { progressOn, type Progress } from '../progress.js';

/** Prints which files were copied, once the copy is checked and has its name (K14, X4). */
export async function backup({ config, output }: CommandContext, options: Options): Promise<ExitCode> {
  if (config.log !== 'sqlite' || config.store !== 'sqlite')
    throw new DoorledgerError(
      'ERR_NOT_EMBEDDED',
      'doorledger backup copies the embedded log and ledger: Kafka and PostgreSQL are backed up by their own tools, keys.db by a copy.',
    );
  const [to = ''] = options.arguments as string[];
  let current: { readonly file: string; readonly progress: Progress } | undefined;
  try {
    const files = await backupSqlite({
      dir: config.data,
      to,
      onProgress: ({ file, copiedPages, totalPages }) => {
        if (current?.file !== file) {
          current?.progress.stop();
          current = { file, progress: progressOn(process.stderr, file, { unit: 'pages' }) };
        }
        current.progress.update(copiedPages, totalPages);
      },
    });
    await output.json({ to, files });
    return 0;
  } finally {
    current?.progress.stop();
  }
}
