import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, type Served } from '../../faults/served-process.js';
import { ToolDesk } from '../consent/tool-desk.js';

/** A host that checks nobody, as `npm start` begins, with a tool behind a gate. */
export class OpenWorld {
  private constructor(
    readonly desk: ToolDesk,
    readonly served: Served,
    private readonly dir: string,
  ) {}

  static async start(): Promise<OpenWorld> {
    const desk = await ToolDesk.start();
    const dir = mkdtempSync(join(tmpdir(), 'doorledger-console-'));
    const gate = { kind: 'checkIn', decideByMs: 3_600_000 };
    const servers = [{ name: 'desk', url: desk.url, scope: 'session', tools: { pay: { gate } } }];
    return new OpenWorld(desk, await serve(dir, { DOORLEDGER_TOOLS_SERVERS: JSON.stringify(servers) }), dir);
  }

  get url(): string {
    return this.served.url;
  }

  async say(sessionId: string, input: string): Promise<Readonly<Record<string, unknown>>> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.url}/invoke`, { method: 'POST', headers, body: JSON.stringify({ sessionId, input }) });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  }

  /** The id of the request that a call of `pay` waits for. */
  async paused(sessionId: string, args: object): Promise<string> {
    const { awaiting } = await this.say(sessionId, `/call desk.pay ${JSON.stringify(args)}`);
    return (awaiting as { readonly requestId: string }).requestId;
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? NaN);
  }

  async stop(): Promise<void> {
    this.desk.release();
    await this.served.stop();
    await this.desk.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
