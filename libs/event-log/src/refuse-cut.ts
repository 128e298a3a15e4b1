import { topics } from '@doorledger/contracts';
import { AppendRefusedError } from './errors.js';

const MAY_BE_CUT: ReadonlySet<string> = new Set([topics.ingress.name, topics.private.name]);

/** X3: what decides claims, and what says who may do what, is kept for ever. @throws AppendRefusedError `ERR_NEVER_CUT` */
export function refuseCut(topic: string): void {
  if (!MAY_BE_CUT.has(topic))
    throw new AppendRefusedError(
      'ERR_NEVER_CUT',
      'Only the topics `ingress` and `private` may lose their oldest records; the others are kept for ever.',
    );
}
