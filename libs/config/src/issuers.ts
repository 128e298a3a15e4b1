import { fromJson } from './from-json.js';
import type { Kind } from './kind.js';

/** An issuer whose tokens the doors take. */
export interface IssuerConfig {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly jwksUri?: string;
  readonly tenantClaim?: string;
  readonly rolesClaim?: string;
  readonly namespaceClaim?: string;
}

export const address = /^https?:\/\/[^\s/?#@]+[^\s#]*$/;
export const claim = /^\S{1,200}$/;

const isText = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const orAbsent = (accepts: (value: unknown) => boolean) => (value: unknown) => value === undefined || accepts(value);

const fields: Readonly<Record<keyof IssuerConfig, (value: unknown) => boolean>> = {
  issuer: isText(address),
  audiences: (value) => Array.isArray(value) && value.length > 0 && value.every(isText(/^\S+$/)),
  jwksUri: orAbsent(isText(address)),
  tenantClaim: orAbsent(isText(claim)),
  rolesClaim: orAbsent(isText(claim)),
  namespaceClaim: orAbsent(isText(claim)),
};

/** In YAML a list of maps, elsewhere the same as JSON. Never empty. */
export const issuerList: Kind = {
  allowed:
    'a list of issuers (as JSON outside the file), each with `issuer`, `audiences` (a list) and, if need be, `jwksUri`, `tenantClaim`, `rolesClaim` and `namespaceClaim`',
  accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isIssuer),
  fromText: fromJson,
};

function isIssuer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const issuer = value as Record<string, unknown>;
  return Object.keys(issuer).every((name) => Object.hasOwn(fields, name)) && Object.entries(fields).every(([name, ok]) => ok(issuer[name]));
}
