import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { References, loadDeploymentKey } from '@doorledger/privacy';
import { serve, type Served } from '../../faults/served-process.js';
import type { Bearer } from './door-case.js';

/** A process that cases are asked of. */
export interface TestedHost {
  readonly served: Served;
  readonly tokens: Readonly<Partial<Record<Bearer, string>>>;
  /** The reference of a person, as facts have it. */
  userRef(person: 'ann' | 'bob'): string;
  sessionRef(sessionId: string): string;
}

/** A host without a verifier. */
export async function openHost(settings: Record<string, string>): Promise<TestedHost & { remove(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-table-'));
  const served = await serve(dir, settings);
  const references = new References(loadDeploymentKey({ dir, mayCreate: false }));
  return {
    served,
    tokens: {},
    userRef: () => '',
    sessionRef: (sessionId) => references.sessionRef(undefined, sessionId),
    remove: async () => {
      await served.kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
