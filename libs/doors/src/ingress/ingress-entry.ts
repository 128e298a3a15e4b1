import type { FactData } from '@doorledger/contracts';

/** An ingress record before it has its place (spec 5). */
export type IngressEntry = Omit<FactData<'ingress.recorded'>, 'hostId' | 'bootId' | 'seq'>;

/** Whose count the places are of (E11). */
export interface IngressLife {
  readonly hostId: string;
  readonly bootId: string;
}
