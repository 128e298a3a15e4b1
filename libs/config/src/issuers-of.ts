import type { DoorledgerConfig } from './doorledger-config.js';
import { issuerList, type IssuerConfig } from './issuers.js';

/** Every issuer that is configured: the one of `oidc`, then those of `identity.issuers`. None means that nobody's identity is checked. */
export function issuersOf({ oidc, identity }: Pick<DoorledgerConfig, 'oidc' | 'identity'>): IssuerConfig[] {
  const { issuer, audiences, ...more } = oidc;
  return [
    ...(issuer && audiences ? [{ issuer, audiences, ...more }] : []),
    ...(issuerList.accepts(identity.issuers) ? identity.issuers! : []),
  ];
}
