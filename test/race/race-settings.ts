import { judgeSettings } from '../faults/judge-server-process.js';
import type { People } from './people.js';

/** A host whose one tool asks the party or an approver first. */
export const raceSettings = (judgeUrl: string, { settings }: People): Record<string, string> => ({
  ...settings,
  ...judgeSettings(judgeUrl, { tools: { note: { gate: { kind: 'checkIn', deciders: 'both', roles: ['approver'] } } } }),
});
