import type { IngressEntry } from './ingress/ingress-entry.js';

/** What may be recorded of a request, filled in as it becomes known (spec 5). */
export type Trace = { -readonly [K in keyof IngressEntry]?: IngressEntry[K] } & Pick<IngressEntry, 'door' | 'bearerPresent'>;
