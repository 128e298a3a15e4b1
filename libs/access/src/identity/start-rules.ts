import { DoorledgerError } from '@doorledger/contracts';
import { isLoopback } from '../guard/loopback.js';
import type { IssuerSettings } from './issuer.js';

export interface StartIdentity {
  /** The address that is listened on. */
  readonly bindHost: string;
  readonly hasVerifier: boolean;
  /** The setting `identity.open`. */
  readonly open: boolean;
  /** The setting `identity.openOnNetwork`. */
  readonly openOnNetwork: 'no' | 'i-know';
  readonly issuers: readonly IssuerSettings[];
}

/**
 * I1: what a start says of identity, one sentence each. A door that checks nobody is for this machine; to listen beyond it takes two settings,
 * so that neither a copied file nor a forgotten variable opens it alone.
 * @throws DoorledgerError `ERR_OPEN_DOOR`
 */
export function judgeStart({ bindHost, hasVerifier, open, openOnNetwork, issuers }: StartIdentity): string[] {
  if (hasVerifier) return issuers.flatMap(plainAddress);
  const near = isLoopback(bindHost);
  if (!near && !(open && openOnNetwork === 'i-know'))
    throw new DoorledgerError(
      'ERR_OPEN_DOOR',
      'Nobody’s identity is checked, and host is an address that other machines reach. Name who may call (oidc.issuer and oidc.audiences), or ' +
        'listen on 127.0.0.1. To serve everybody who reaches it, set identity.open: true and identity.openOnNetwork: i-know.',
    );
  const reach = near ? 'on this machine' : 'WHO REACHES THIS ADDRESS';
  return [`NOBODY’S IDENTITY IS CHECKED: everybody ${reach} is served. Name who may call with oidc.issuer and oidc.audiences.`];
}

function plainAddress({ issuer, jwksUri = issuer }: IssuerSettings): string[] {
  const { protocol, hostname } = new URL(jwksUri);
  if (protocol !== 'http:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return [];
  return [`The keys of ${issuer} come over plain HTTP: who can change that traffic can be anybody. Use https.`];
}
