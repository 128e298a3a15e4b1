import { CONFIG_FILE } from './config-file.js';
import type { SettingInfo } from './setting.js';

const defaultOf = ({ default: value, otherwise }: SettingInfo): string =>
  otherwise ?? (value === undefined ? 'none' : `\`${value as string | number}\``);

/** The page `docs/configuration.md`, from what is known of each setting. */
export function referencePage(settings: readonly SettingInfo[]): string {
  return `# Configuration

<!-- Written by \`doorledger config reference\`; edit libs/config/src/doorledger-config.ts instead. -->

Every setting has a default; \`npm start\` needs none. A setting may stand in four places, each over the one before:

1. its default,
2. the file \`${CONFIG_FILE}\` in the working directory, or the one given with \`--config FILE\`,
3. an environment variable (an empty one counts as absent),
4. a flag, such as \`doorledger up --port 9000\`.

\`doorledger config check\` says what is wrong, all of it at once; \`doorledger config print --origins\` says what each setting is and which place it comes from.
A wrong setting ends the start with exit code 1 and one sentence for each. Secrets have no flag, because everybody on a machine can read the
arguments of its processes, and are never printed.

\`\`\`yaml
# ${CONFIG_FILE}
port: 9000
door:
  path: /ask
concurrency: enqueue
\`\`\`
${settings.map(entry).join('')}`;
}

function entry(setting: SettingInfo): string {
  return `
## ${setting.path}

${setting.about}

- Allowed: ${setting.kind.allowed}
- Default: ${defaultOf(setting)}
- Environment: \`${setting.env}\`
- Flag: ${setting.flag ? `\`${setting.flag}\`` : 'none (a secret)'}
`;
}
