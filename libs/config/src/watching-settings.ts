import { integer, list, text } from './kind.js';
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

export class TracingSettings {
  @Setting({
    about:
      'Where spans are sent by OTLP over HTTP (JSON); without it none are made. Headers for it are read from `OTEL_EXPORTER_OTLP_HEADERS`.',
    kind: text('a URL such as `http://127.0.0.1:4318/v1/traces`', /^https?:\/\/\S+$/),
  })
  readonly url?: string;

  @Setting({
    about: 'Of the traces that begin here, how many in a hundred are sent. One that a caller began is sent if the caller says so.',
    kind: integer(0, 100),
  })
  readonly percent: number = 100;
}
