import type { CommandLine, Options } from './command-line.js';
import { addSettingFlags, allFlagPaths } from './setting-flags.js';

/** `config check`, `config print`, `config reference`: they look at the configuration itself, right or wrong. */
export function addConfigCommands(cli: CommandLine): void {
  const config = cli.program.command('config').description('Check, print or explain the configuration.');
  addSettingFlags(config.command('check'), allFlagPaths)
    .description('Say everything that is wrong with the configuration.')
    .action(async (options: Options) => cli.end((await import('./commands/config.js')).check(options)));
  addSettingFlags(config.command('print'), allFlagPaths)
    .description('Print the configuration in force as JSON; secrets are not shown.')
    .option('--origins', 'one line per setting, with the place its value comes from')
    .action(async (options: Options) => cli.end((await import('./commands/config.js')).print(options, cli.output)));
  config
    .command('reference')
    .description('Print the reference page of all settings (docs/configuration.md).')
    .action(async () => cli.end((await import('./commands/config.js')).reference(cli.output)));
}
