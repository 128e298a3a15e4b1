import { judgeSettings } from '../judge-server-process.js';
import type { People } from './people.js';

/** A host of which one tool asks the party or an approver first. */
export const raceSettings = (judgeUrl: string, { settings }: People): Record<string, string> => ({
  ...settings,
  ...judgeSettings(judgeUrl, { tools: { pay: { gate: { kind: 'checkIn', deciders: 'both', roles: ['approver'] } } } }),
});
