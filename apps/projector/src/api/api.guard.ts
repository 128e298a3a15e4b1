import { HttpException, Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isQueryText, unidentified, type Identified, type Principal } from '@doorledger/access';
import type { Access } from '../../../host/src/access.js';
import { presentedBy } from '../sign-in/presented.js';
import { Projection } from '../projection.js';
import { OPERATES, SEES_OF, type SeesOf, type ViewedRequest, type Viewer } from './viewer.js';

/** Roles that read all public facts of their tenant (P1). */
const OPERATOR = 'operator';
const READERS: ReadonlySet<string> = new Set(['auditor', OPERATOR]);
/** The role that a gate's requests are put before unless it names others (N50). */
const APPROVER = 'approver';
/** The tenant of who may read those of every tenant. */
const EVERY_TENANT = '*';

/** Injection token of the process's Access. */
export const ACCESS = Symbol('access');

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

const needsRole: Refusal = { status: 403, code: 'ERR_ROLE_REQUIRED', error: 'This needs the role auditor or operator.' };
const needsAllTenants: Refusal = {
  status: 403,
  code: 'ERR_ALL_TENANTS_REQUIRED',
  error: 'The facts of this do not say whose tenant they are of: the token has to name the tenant "*".',
};
const needsOperator: Refusal = {
  status: 403,
  code: 'ERR_ROLE_REQUIRED',
  error: 'This is for operators: the token has to name the role "operator" and, where there are tenants, the tenant "*".',
};

const misencoded: Refusal = {
  status: 400,
  code: 'ERR_INVALID_QUERY',
  error: 'What stands behind the "?" is not UTF-8 in percent-encoding.',
};

/** The doors' own guard and identity before every ledger API (P1). */
@Injectable()
export class ApiGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(ACCESS) private readonly access: Access,
    private readonly projection: Projection,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & ViewedRequest>();
    const foreign = this.access.guard({
      method: request.method,
      isUpgrade: false,
      isProbe: false,
      headers: request.headers,
      rawHeaders: request.raw.rawHeaders,
      from: request.socket.remoteAddress,
    });
    if (foreign) throw refused(foreign);
    const identified = await this.access.identify(presentedBy(request, this.access), new AbortController().signal);
    if (identified.kind === 'refused') {
      void http.getResponse<FastifyReply>().header('www-authenticate', 'Bearer');
      throw refused(unidentified.refused);
    }
    if (identified.kind === 'unavailable') throw refused(unidentified.unavailable);
    const viewer = this.#viewer(identified);
    const needed = <T>(what: string) => this.reflector.getAllAndOverride<T | undefined>(what, [context.getHandler(), context.getClass()]);
    const seesOf = needed<SeesOf>(SEES_OF);
    if (seesOf && viewer.sees === 'own') throw refused(needsRole);
    if (seesOf === 'everybody' && viewer.sees === 'tenant') throw refused(needsAllTenants);
    if (needed<boolean>(OPERATES) && !viewer.operates) throw refused(needsOperator);
    if (!isQueryText(request.url)) throw refused(misencoded);
    request.viewer = viewer;
    return true;
  }

  #viewer(identified: Extract<Identified, { kind: 'unchecked' | 'anonymous' | 'proven' }>): Viewer {
    if (identified.kind === 'unchecked') return { sees: 'everything', operates: true };
    if (identified.kind === 'anonymous') return { sees: 'own' };
    const { principal, expiresAt } = identified;
    const { tenant, roles } = principal;
    const sees = seenBy(principal);
    return {
      sees,
      userRef: this.projection.references.userRef(principal),
      ...(tenant !== undefined && { tenant, tenantRef: this.projection.references.tenantRef(tenant) }),
      ...(roles.includes(APPROVER) && { decides: true as const }),
      ...(sees === 'everything' && roles.includes(OPERATOR) && { operates: true as const }),
      ...(expiresAt !== undefined && { expiresAt }),
    };
  }
}

/** Rows of several tenants lie side by side: a reader of one is shown what is of it. */
function seenBy({ roles, tenant }: Principal): Viewer['sees'] {
  if (!roles.some((role) => READERS.has(role))) return 'own';
  return tenant === undefined || tenant === EVERY_TENANT ? 'everything' : 'tenant';
}

const refused = ({ status, code, error }: Refusal): HttpException => new HttpException({ error, code }, status);
