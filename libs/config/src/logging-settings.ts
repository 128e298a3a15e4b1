import { choice } from './kind.js';
import { Setting } from './setting.js';

export class LoggingSettings {
  @Setting({ about: 'Least severe log line that is written.', kind: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent') })
  readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  @Setting({ about: 'How log lines look; `auto` is `pretty` in a terminal and `json` elsewhere.', kind: choice('auto', 'pretty', 'json') })
  readonly format: 'auto' | 'pretty' | 'json' = 'auto';
}
