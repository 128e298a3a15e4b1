import type { Party } from '@doorledger/consent';
import type { ToolServers } from '@doorledger/mcp';
import type { References } from '@doorledger/privacy';
import type { Gates } from './consent/gates.js';
import type { FreezeBook } from './freezes.js';

export interface FrozenCallsOptions {
  readonly freezes: Pick<FreezeBook, 'isEmpty' | 'frozenBy'>;
  readonly references: Pick<References, 'tenantRef' | 'userRef'>;
}

/**
 * Gates of a host that heeds freezes (P6): a frozen call is denied before a person is asked for it and before its tool session is opened,
 * and an approved one again before its dispatch (N22).
 */
export function frozenGates(gates: Gates, options: FrozenCallsOptions): Gates {
  const { freezes } = options;
  return {
    chain: (server, tool) => gates.chain(server, tool),
    terms: (server, tool) => gates.terms(server, tool),
    judge: (call, passed) => {
      const { server, tool, party } = call;
      if (freezes.isEmpty || freezes.frozenBy({ server, tool, ...whoIs(party, options) }) === undefined) return gates.judge(call, passed);
      return Promise.resolve({ kind: 'deny', reason: 'an operator has frozen it for now, so it did not run.', observed: [] });
    },
  };
}

/**
 * Tool servers of a host that heeds freezes (P6): what is frozen between its judgement and the moment it would leave is not sent. To open
 * a tool session and to write a step may take longer than a freeze may wait.
 */
export function frozenServers(
  servers: Pick<ToolServers, 'tools' | 'prepare'>,
  { freezes, references }: FrozenCallsOptions,
): Pick<ToolServers, 'tools' | 'prepare'> {
  return {
    tools: () => servers.tools(),
    async prepare(context, server, tool) {
      const prepared = await servers.prepare(context, server, tool);
      const { tenant, userRef } = context;
      const isFrozen = () =>
        !freezes.isEmpty &&
        freezes.frozenBy({
          server,
          tool,
          ...(tenant !== undefined && { tenantRef: references.tenantRef(tenant) }),
          ...(userRef !== undefined && { userRef }),
        }) !== undefined;
      return {
        ...prepared,
        send: async (args, options) =>
          isFrozen()
            ? { outcome: 'not-sent', errorClass: 'FrozenByOperator', mayDispatchAgain: false, durationMs: 0 }
            : prepared.send(args, options),
      };
    },
  };
}

const whoIs = ({ issuer, tenant, subject }: Party, { references }: FrozenCallsOptions) => ({
  ...(tenant !== undefined && { tenantRef: references.tenantRef(tenant) }),
  ...(subject !== undefined && {
    userRef: references.userRef({ subject, ...(issuer !== undefined && { issuer }), ...(tenant !== undefined && { tenant }) }),
  }),
});
