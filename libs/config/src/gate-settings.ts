import { Type, type Static, type TObject } from '@sinclair/typebox';
import { whyUnusable, type ApproverPolicy } from '@doorledger/consent';

const Millis = Type.Integer({ minimum: 1, maximum: 366 * 24 * 3_600_000 });

/** What can be said of asking a person, in a gate and in an `ask` rule. */
export const asking = {
  observe: Type.Optional(Type.Boolean()),
  decideByMs: Type.Optional(Millis),
  spendByMs: Type.Optional(Millis),
  deciders: Type.Optional(Type.Union([Type.Literal('party'), Type.Literal('role'), Type.Literal('both')])),
  roles: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 64 })),
  separation: Type.Optional(Type.Boolean()),
  quorum: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
};
export type AskSettings = Static<TObject<typeof asking>>;

/** The gate of a tool: it asks after every rule has had its say (L22). */
export const Gate = Type.Object({ kind: Type.Literal('checkIn'), ...asking }, { additionalProperties: false });
export type GateConfig = Static<typeof Gate>;

/** How a person is asked, with nothing left open. */
export interface AskTerms {
  /** Nothing pauses; what would have been asked is only recorded (N16). */
  readonly observe: boolean;
  readonly policy: ApproverPolicy;
  /** Both in milliseconds from the pause on; without one, that clock does not run (N8). */
  readonly decideByMs?: number;
  readonly spendByMs?: number;
}

/** The terms, with defaults for what was not said: the party itself decides, and without any clock. */
export const askTerms = ({ observe, decideByMs, spendByMs, deciders, roles, separation, quorum }: AskSettings = {}): AskTerms => ({
  observe: observe ?? false,
  policy: {
    deciders: deciders ?? 'party',
    roles: roles ?? ['approver'],
    separation: separation ?? false,
    ...(quorum !== undefined && { quorum }),
  },
  ...(decideByMs !== undefined && { decideByMs }),
  ...(spendByMs !== undefined && { spendByMs }),
});

/** Why nobody could be asked like that, as a sentence; never a value that is not a number. */
export function whyNobodyCanDecide(settings: AskSettings): string | undefined {
  const { policy, decideByMs, spendByMs } = askTerms(settings);
  if (policy.deciders === 'party' && settings.roles) return 'Roles decide only where deciders is role or both.';
  if (decideByMs !== undefined && spendByMs !== undefined && spendByMs < decideByMs)
    return 'Both clocks start at the pause, so spendByMs cannot be less than decideByMs.';
  return whyUnusable(policy);
}

interface GatedServer {
  readonly name: string;
  readonly tools?: Readonly<Record<string, { readonly gate?: GateConfig }>>;
}

/** A look-up of the gate of a tool; `undefined` for a tool without one. */
export function gatesOf(servers: readonly GatedServer[]): (server: string, tool: string) => AskTerms | undefined {
  const terms = new Map(
    servers.flatMap(({ name, tools = {} }) =>
      Object.entries(tools).flatMap(([tool, { gate }]) => (gate ? [[`${name}.${tool}`, askTerms(gate)] as const] : [])),
    ),
  );
  return (server, tool) => terms.get(`${server}.${tool}`);
}
