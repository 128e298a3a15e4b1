import type { CallEnd, PreparedCall } from '@doorledger/mcp';
import type { CallContext, Firing } from '@doorledger/tool-sessions';
import type { StepLoopOptions } from '../step-loop.js';

type SendOptions = Parameters<PreparedCall['send']>[1];

export interface Sent {
  readonly context: CallContext;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: SendOptions;
  end(end: Partial<CallEnd> & Pick<CallEnd, 'outcome'>): void;
}

/** Tool servers whose calls end when and how a test says, and a tier that only notes what was fired. */
export class ScriptedTools implements Pick<StepLoopOptions, 'servers' | 'sessions'> {
  readonly sent: Sent[] = [];
  readonly fired: Firing[] = [];
  readonly released: string[] = [];
  prepared = 0;
  /** Thrown by the next `prepare`. */
  refusal?: Error;
  #heard?: () => void;

  readonly servers: StepLoopOptions['servers'] = {
    tools: () =>
      ['echo', 'write'].map((tool) => ({
        name: `files.${tool}`,
        server: 'files',
        tool,
        inputSchema: {},
        hash: '0'.repeat(64),
        scope: 'run',
      })),
    prepare: async (context) => {
      const { refusal } = this;
      this.refusal = undefined;
      if (refusal) throw refusal;
      const toolSessionId = `00000000-0000-4000-8000-${String(++this.prepared).padStart(12, '0')}`;
      return {
        toolSessionId,
        toolHash: '0'.repeat(64),
        send: (args, options) => this.#send(context, args, options),
        release: () => void this.released.push(toolSessionId),
      };
    },
  };
  readonly sessions: StepLoopOptions['sessions'] = { fire: (firing) => this.fired.push(firing), liveOf: () => 0 };

  /** The n-th call that was sent, from 1. */
  async call(n: number): Promise<Sent> {
    while (this.sent.length < n) await new Promise<void>((resolve) => (this.#heard = resolve));
    return this.sent[n - 1]!;
  }

  #send(context: CallContext, args: Sent['args'], options: SendOptions): Promise<CallEnd> {
    return new Promise((resolve) => {
      const end = (how: Partial<CallEnd> & Pick<CallEnd, 'outcome'>) =>
        resolve({ text: '', files: [], errorClass: 'Error', mayDispatchAgain: false, durationMs: 1, ...how } as unknown as CallEnd);
      this.sent.push({ context, args, options, end });
      this.#heard?.();
    });
  }
}
