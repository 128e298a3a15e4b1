import type { Link } from './cluster.mjs';

export interface OpenLink extends Link {
  readonly port: number;
  /** Where it leads. */
  lead(port: number): void;
  close(): Promise<void>;
}
export function openLink(): Promise<OpenLink>;
