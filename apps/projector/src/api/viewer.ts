import { SetMetadata, createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Who asks a ledger API, and how far they may see (P1). */
export interface Viewer {
  /** All public facts, or what is the caller's own. */
  readonly sees: 'everything' | 'own';
  /** The proven person. */
  readonly userRef?: string;
  /** Session ids are scoped to it (O1). */
  readonly tenant?: string;
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

export const SEES_EVERYTHING = 'sees everything';

/** A route or a controller that shows what is nobody's own. */
export const NeedsAuditor = () => SetMetadata(SEES_EVERYTHING, true);

export const OPERATES = 'operates';

/** A route or a controller for who runs the deployment. */
export const NeedsOperator = () => SetMetadata(OPERATES, true);

/** Whose rows a query is narrowed to; undefined for all. An anonymous caller owns nothing. */
export const ownerOf = ({ sees, userRef }: Viewer): string | undefined => (sees === 'everything' ? undefined : (userRef ?? ''));
