import { list, text } from './kind.js';
import { Setting } from './setting.js';

export class MetricsSettings {
  @Setting({
    about: 'Other machines that may ask for `GET /metrics`; this one always may.',
    kind: list(
      text('', /^[0-9a-f:.]+(?:\/\d{1,3})?$/i),
      'a list of IP addresses and blocks such as `10.0.0.0/8` (with commas between, outside the file)',
    ),
  })
  readonly from?: readonly string[];
}
