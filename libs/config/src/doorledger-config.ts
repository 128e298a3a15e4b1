import { inspect } from 'node:util';
import { AdmissionSettings } from './admission-settings.js';
import { CheckpointSettings } from './checkpoint-settings.js';
import { GuardSettings } from './guard-settings.js';
import { IdentitySettings, OidcSettings } from './identity-settings.js';
import { redacted } from './redacted.js';
import { Section, Setting } from './setting.js';
import { choice, integer, text, yesOrNo } from './kind.js';
import { KafkaSettings } from './kafka-settings.js';
import { LoggingSettings } from './logging-settings.js';
import { peerList } from './peer-list.js';
import { ModelSettings } from './model-settings.js';
import { SignInSettings } from './sign-in-settings.js';
import { ToolSettings } from './tool-settings.js';
import { WebhookSettings } from './webhook-settings.js';
import { MetricsSettings, TracingSettings } from './watching-settings.js';

const name = text('a name of letters, digits, `.`, `_`, `:` and `-`, at most 200 of them', /^[A-Za-z0-9._:-]{1,200}$/);
const millis = (max: number) => integer(1, max);
const HOUR = 3_600_000;

export class DoorSettings {
  @Setting({
    about: 'Path of the request door (turns, decisions, operations).',
    kind: text(
      'a path such as `/invoke` that no other route of a host begins with (/health, /ready, /metrics, /conversation, /v1, /invocations, /ping, /assets, /auth)',
      /^\/(?!(?:health|ready|metrics|conversation|v1|invocations|ping|assets|auth)(?:\/|$))[A-Za-z0-9._~/-]+$/,
    ),
  })
  readonly path: string = '/invoke';

  @Setting({
    about: 'Request header that names the session when the body does not.',
    kind: text('a header name in lower case: letters, digits and `-`', /^[a-z][a-z0-9-]{0,99}$/),
  })
  readonly sessionHeader: string = 'x-session-id';

  @Setting({
    about: 'Whether a caller may name a session that is not there yet, or only one this deployment minted (`POST /v1/sessions`).',
    kind: choice('named', 'minted'),
  })
  readonly newSessions: 'named' | 'minted' = 'named';

  @Setting({ about: 'Gives a message without a session one of its own, in a cookie.', kind: yesOrNo })
  readonly cookie: boolean = false;

  @Setting({ about: 'Name of that cookie.', kind: text('a name of letters, digits, `_` and `-`', /^[A-Za-z0-9_-]{1,64}$/) })
  readonly cookieName: string = 'doorledger_session';

  @Setting({ about: 'Marks that cookie `Secure`: for doors behind TLS.', kind: yesOrNo })
  readonly cookieSecure: boolean = false;

  @Setting({
    about:
      'What happens to a turn whose caller hung up: it is aborted (an event stream’s after 30 s without a reader), or goes on to its end.',
    kind: choice('abort', 'continue'),
  })
  readonly onHangup: 'abort' | 'continue' = 'abort';

  @Setting({
    about: 'Serves `POST /invocations` and `GET /ping` too, as a container of Amazon Bedrock AgentCore Runtime does (it calls port 8080).',
    kind: yesOrNo,
  })
  readonly agentcore: boolean = false;
}

export type IngressDurability = 'before-reply' | 'buffered';

export class IngressSettings {
  @Setting({
    about: 'When the record of a served request must be durable: before the caller hears, or soon after.',
    kind: choice('before-reply', 'buffered'),
  })
  readonly served: IngressDurability = 'before-reply';

  @Setting({ about: 'The same for a refused request.', kind: choice('before-reply', 'buffered') })
  readonly refusals: IngressDurability = 'buffered';
}

export class TurnSettings {
  @Setting({ about: 'Most steps the agent may take in one turn; past it the turn fails with ERR_TURN_BOUND.', kind: integer(1, 1000) })
  readonly steps: number = 24;

  @Setting({ about: 'Most tools the agent may call in one step; past it the turn fails with ERR_TURN_BOUND.', kind: integer(1, 384) })
  readonly callsPerStep: number = 16;

  @Setting({
    about: 'Longest time that handing over a file of a tool’s result may take, in milliseconds; the turn goes on without it.',
    kind: millis(HOUR),
  })
  readonly artifactsTimeoutMs: number = 10_000;

  @Setting({ about: 'How long such a file can be asked for, in milliseconds.', kind: millis(366 * 24 * HOUR) })
  readonly artifactsKeptMs: number = 7 * 24 * HOUR;

  @Setting({
    about: 'Longest time one run of a turn may take, in milliseconds; past it the turn fails with ERR_TURN_BOUND.',
    kind: millis(24 * HOUR),
  })
  readonly wallTimeMs: number = 600_000;
}

/** The one validated configuration object. `loadConfig` makes it; it is frozen, and printing it shows no secret. */
export class DoorledgerConfig {
  @Setting({
    about: 'Address the doors and the ledger API listen on.',
    kind: text('a host name or an IP address', /^[A-Za-z0-9.:_-]{1,253}$/),
  })
  readonly host: string = '127.0.0.1';

  @Setting({ about: 'Port of the doors; 0 takes a free one.', kind: integer(0, 65_535) })
  readonly port: number = 8080;

  @Setting({ about: 'Port of the ledger API; 0 takes a free one.', kind: integer(0, 65_535) })
  readonly projectorPort: number = 8081;

  @Setting({ about: 'Serves the console, the page for people, at `/` beside the ledger API.', kind: yesOrNo })
  readonly console: boolean = true;

  @Setting({
    about:
      'Folder of the embedded log, the ledger and the keys. A relative path starts at the file that names it, else at the working directory.',
    kind: text('a folder', /^[^\0]+$/),
  })
  readonly data: string = './data';

  @Setting({ about: 'Where the facts are logged.', kind: choice('sqlite', 'kafka') })
  readonly log: 'sqlite' | 'kafka' = 'sqlite';

  @Section(KafkaSettings)
  readonly kafka: KafkaSettings = new KafkaSettings();

  @Setting({ about: 'Where the ledger tables live.', kind: choice('sqlite', 'postgres') })
  readonly store: 'sqlite' | 'postgres' = 'sqlite';

  @Setting({
    about: 'Address of the PostgreSQL database; needed with `store: postgres`.',
    kind: text('an address that begins with `postgres://` or `postgresql://`', /^postgres(?:ql)?:\/\/\S+$/),
    secret: true,
  })
  readonly databaseUrl?: string;

  @Setting({
    about: 'The deployment key, from which references and content keys derive; needed with `log: kafka`.',
    kind: text(
      '32 bytes in base64 or hex (make one with `openssl rand -hex 32`)',
      /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9_-]{43})$/,
    ),
    secret: true,
    otherwise: 'made at the first start, in `deployment.key` of the data folder',
  })
  readonly key?: string;

  @Setting({
    about:
      'What wraps content keys, where that is not the deployment key: keys of 32 bytes, or the word `deployment` for the one of the deployment key, apart by commas. The first one wraps, each of them opens.',
    kind: text(
      'a list of keys of 32 bytes in base64 or hex, or `deployment`',
      /^\s*(?:deployment|[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9_-]{43})\s*(?:,\s*(?:deployment|[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9_-]{43})\s*)*$/,
    ),
    secret: true,
    otherwise: '`wrapping.key` of the data folder, which `doorledger rotate-key` makes; before that, the deployment key',
  })
  readonly wrappingKeys?: string;

  @Setting({
    about: 'Name of this host, one process at a time; the same after a restart.',
    kind: name,
    otherwise: '`<hostname>-<port>`',
  })
  readonly hostId: string;

  @Setting({
    about: 'Where hosts reach each other, to run a turn where its session’s live tool sessions are; the same list on every host.',
    kind: peerList,
  })
  readonly peers?: readonly string[];

  @Setting({ about: 'Name of this deployment, part of the source of every fact.', kind: name })
  readonly deployment: string = 'local';

  @Section(DoorSettings)
  readonly door: DoorSettings = new DoorSettings();

  @Section(GuardSettings)
  readonly guard: GuardSettings = new GuardSettings();

  @Section(OidcSettings)
  readonly oidc: OidcSettings = new OidcSettings();

  @Section(IdentitySettings)
  readonly identity: IdentitySettings = new IdentitySettings();

  @Section(SignInSettings)
  readonly signIn: SignInSettings = new SignInSettings();

  @Section(AdmissionSettings)
  readonly admission: AdmissionSettings = new AdmissionSettings();

  @Section(IngressSettings)
  readonly ingress: IngressSettings = new IngressSettings();

  @Section(TurnSettings)
  readonly turn: TurnSettings = new TurnSettings();

  @Section(ToolSettings)
  readonly tools: ToolSettings = new ToolSettings();

  @Setting({
    about:
      'The agent that answers turns: `command` needs no model, `chat` asks the one of `model.*`, and `module:PATH` is an ES module of yours (docs/agents.md).',
    kind: text('`command`, `chat` or `module:` and the path of a module', /^(command|chat|module:.+)$/),
  })
  readonly agent: string = 'command';

  @Section(ModelSettings)
  readonly model: ModelSettings = new ModelSettings();

  @Section(CheckpointSettings)
  readonly checkpoints: CheckpointSettings = new CheckpointSettings();

  @Setting({
    about: 'What happens to a message for a session whose turn still runs: refused (409), or queued behind it.',
    kind: choice('reject', 'enqueue'),
  })
  readonly concurrency: 'reject' | 'enqueue' = 'reject';

  @Section(WebhookSettings)
  readonly webhooks: WebhookSettings = new WebhookSettings();

  @Setting({ about: 'Longest time that closing waits for running turns, in milliseconds.', kind: millis(HOUR) })
  readonly closeTimeoutMs: number = 8_000;

  @Section(LoggingSettings)
  readonly logging: LoggingSettings = new LoggingSettings();

  @Section(MetricsSettings)
  readonly metrics: MetricsSettings = new MetricsSettings();

  @Section(TracingSettings)
  readonly tracing: TracingSettings = new TracingSettings();

  toJSON(): object {
    return redacted(this);
  }

  [inspect.custom](): object {
    return redacted(this);
  }
}
