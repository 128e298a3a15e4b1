import { integer, type Kind } from './kind.js';
import { Setting } from './setting.js';
import { isSafeAddress, webhookEndpointList, type WebhookEndpointConfig } from './webhook-endpoints.js';

const linkTemplate: Kind = {
  allowed: 'an address that begins with `https://` (`http://` only on this machine) and may hold `{requestId}` and `{turnId}`',
  accepts: (value) =>
    typeof value === 'string' && !/\{(?!(?:requestId|turnId)\})/.test(value) && isSafeAddress(value.replaceAll(/\{\w+\}/g, 'x')),
  fromText: (text) => text,
};

export class WebhookSettings {
  @Setting({
    about:
      'Who is told by signed webhooks that requests for consent wait and how they end; sent by the projector (docs/webhooks.md). It is a secret, because addresses of webhooks often hold one.',
    kind: webhookEndpointList,
    otherwise: 'nobody',
    secret: true,
  })
  readonly endpoints: readonly WebhookEndpointConfig[] = [];

  @Setting({ about: 'Where a request is decided: a link that each webhook carries.', kind: linkTemplate, otherwise: 'no link' })
  readonly link?: string;

  @Setting({ about: 'Longest time that an endpoint may take to answer, in milliseconds.', kind: integer(1, 60_000) })
  readonly timeoutMs: number = 10_000;

  @Setting({
    about: 'How often a webhook is tried, over about half a day by default, before it becomes a dead letter.',
    kind: integer(1, 20),
  })
  readonly tries: number = 12;

  @Setting({ about: 'Most webhooks that may wait for one endpoint; past it they become dead letters.', kind: integer(1, 100_000) })
  readonly backlog: number = 10_000;
}
