import { backupSqlite } from '@doorledger/event-log';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { requireEmbedded } from '../open-log.js';
import { progressOn, type Progress } from '../progress.js';

/** Prints which files were copied, once the copy is checked and has its name (K14, X4). */
export async function backup({ config, output }: CommandContext, options: Options): Promise<ExitCode> {
  requireEmbedded(config);
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
