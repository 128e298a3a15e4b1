import type { DemoDoor } from './demo-door.js';

/** What a scene plays with. */
export interface Stage {
  readonly door: DemoDoor;
  /** A session's name in this run of the demo: a later run on the same log begins sessions of its own. */
  readonly named: (session: string) => string;
}

/** One or a few requests that belong together. @throws DoorledgerError `ERR_DEMO` where a door answers otherwise than it should */
export type Scene = (stage: Stage) => Promise<void>;
