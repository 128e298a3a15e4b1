import type { Shown } from '@doorledger/ledger';
import { SetMetadata, createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Who asks a ledger API, and how far they may see (P1). */
export interface Viewer {
  /** All public facts, those of the caller's tenant, or what is the caller's own. */
  readonly sees: 'everything' | 'tenant' | 'own';
  /** The proven person. */
  readonly userRef?: string;
  /** Session ids are scoped to it (O1). */
  readonly tenant?: string;
  readonly tenantRef?: string;
  /** Has the role that decides on other people's requests in their tenant (N50). */
  readonly decides?: true;
  /** Runs the deployment: all of its tenants (P1). */
  readonly operates?: true;
  /** Epoch ms at which the credential ends. */
  readonly expiresAt?: number;
}

export interface ViewedRequest {
  viewer?: Viewer;
}

/** The caller of a route behind ApiGuard. */
export const AskedBy = createParamDecorator((_: unknown, context: ExecutionContext): Viewer => {
  return context.switchToHttp().getRequest<ViewedRequest>().viewer!;
});

export const SEES_OF = 'sees of';
export type SeesOf = 'tenant' | 'everybody';

/**
 * A route or a controller that shows what is nobody's own: to auditors of one tenant what is of that tenant, or to those of all tenants only, where
 * the facts do not say whose it is.
 */
export const NeedsAuditor = (of: SeesOf) => SetMetadata(SEES_OF, of);

export const OPERATES = 'operates';

/** A route or a controller for who runs the deployment. */
export const NeedsOperator = () => SetMetadata(OPERATES, true);

/** The one tenant (tenantRef) whose rows are shown; undefined for all of them. Behind NeedsAuditor nobody sees their own only. */
export const tenantOf = ({ sees, tenantRef }: Viewer): string | undefined => (sees === 'tenant' ? (tenantRef ?? '') : undefined);

/** Whose rows a query is narrowed to. An anonymous caller owns nothing. */
export function shownTo(viewer: Viewer): Shown {
  if (viewer.sees === 'everything') return {};
  return viewer.sees === 'tenant' ? { tenant: tenantOf(viewer)! } : { owner: viewer.userRef ?? '' };
}
