import { Controller, Get, HttpException, Inject, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unidentified } from '@doorledger/access';
import type { Access } from '../../../host/src/access.js';
import { ACCESS } from '../api/api.guard.js';
import { LedgerErrorFilter } from '../api/ledger-error.filter.js';
import { ledgerOperations } from '../api/ledger-operations.js';
import { readQuery, type Query as QueryObject } from '../api/query.js';
import { Projection } from '../projection.js';
import { presentedBy } from './presented.js';

/** Who asks, as the console shows it. */
export interface Me {
  /** Nobody's identity is checked here (I1). */
  readonly open: boolean;
  readonly signedIn: boolean;
  readonly name?: string;
  readonly userRef?: string;
  readonly roles: readonly string[];
  readonly tenant?: string;
  /** Where a person signs in; absent where nobody does so with a browser. */
  readonly signIn?: string;
}

@Controller('v1/me')
@UseFilters(LedgerErrorFilter)
export class MeController {
  constructor(
    @Inject(ACCESS) private readonly access: Access,
    private readonly projection: Projection,
  ) {}

  /** 200 whoever asks: a credential that proves nobody is nobody's. 503 while it cannot be judged (I6). */
  @Get()
  async me(@Req() request: FastifyRequest, @Query() query: QueryObject, @Res({ passthrough: true }) reply: FastifyReply): Promise<Me> {
    const { method, headers, raw, socket } = request;
    const { guard, identify, signedIn } = this.access;
    const foreign = guard({ method, isUpgrade: false, isProbe: false, headers, rawHeaders: raw.rawHeaders, from: socket.remoteAddress });
    if (foreign) throw new HttpException({ error: foreign.error, code: foreign.code }, foreign.status);
    readQuery(query, ledgerOperations.readMe);
    void reply.header('cache-control', 'no-store');
    const identified = await identify(presentedBy(request, this.access), new AbortController().signal);
    if (identified.kind === 'unavailable') {
      const { status, code, error } = unidentified.unavailable;
      throw new HttpException({ error, code }, status);
    }
    const ways = signedIn ? { signIn: '/auth/sign-in' } : {};
    if (identified.kind !== 'proven') return { open: identified.kind === 'unchecked', signedIn: false, roles: [], ...ways };
    const { principal } = identified;
    const { name, roles, tenant } = principal;
    return {
      open: false,
      signedIn: true,
      ...(name !== undefined && { name }),
      userRef: this.projection.references.userRef(principal),
      roles,
      ...(tenant !== undefined && { tenant }),
      ...ways,
    };
  }
}
