import { topics } from '@doorledger/contracts';
import type { TableName } from './index.js';

/** The topics whose start may move (X3), and the tables whose rows name the positions they were made from. */
export const tablesToCut: Readonly<Record<string, readonly TableName[]>> = {
  [topics.ingress.name]: ['ingress', 'ingress_count'],
  [topics.private.name]: ['message', 'artifact', 'subject'],
};

export const isCuttable = (topic: string): boolean => Object.hasOwn(tablesToCut, topic);
