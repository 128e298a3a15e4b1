import type { GuardOptions } from './guard.js';
import { hostRule } from './host-rule.js';

/** G8: what a start says of the guard, one sentence each. */
export function bootWarnings({ bindHost, hosts, origins }: Pick<GuardOptions, 'bindHost' | 'hosts' | 'origins'>): string[] {
  const warnings: string[] = [];
  if (!hostRule(bindHost, hosts).hasList)
    warnings.push('Every Host is served, so a page of another site may reach this door by a name of its own: set guard.hosts.');
  if (origins === 'any') warnings.push('guard.origins is `any`: a page of any site may call this door from its visitors’ browsers.');
  return warnings;
}
