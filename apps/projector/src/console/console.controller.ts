import { Controller, Get, HttpException, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../../host/src/access.js';
import { ACCESS } from '../api/api.guard.js';
import type { ConsoleFile } from './console-files.js';
import { encodingOf } from './encoding.js';

/** Injection token of the built console. */
export const CONSOLE_FILES = Symbol('console files');

/** Nothing but its own files and this origin's API; no text becomes markup, style or script. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:"],
  ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

const headers = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'accept-encoding',
} as const;

const FOR_EVER = 'public, max-age=31536000, immutable';

/** The console: what people look at (docs/console.md). It holds nothing private, so nobody has to prove who they are; its API asks. */
@Controller()
export class ConsoleController {
  constructor(
    @Inject(CONSOLE_FILES) private readonly files: ReadonlyMap<string, ConsoleFile>,
    @Inject(ACCESS) private readonly access: Pick<Access, 'guard'>,
  ) {}

  @Get()
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.#send('/', 'no-cache', request, reply);
  }

  /** Named by what is in it. */
  @Get('assets/:name')
  asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.#send(request.url.split('?')[0]!, FOR_EVER, request, reply);
  }

  /** @param kept how long what is there may be kept; that a file is not there is for now only: another process of a rollout may have it. */
  #send(path: string, kept: string, request: FastifyRequest, reply: FastifyReply): void {
    const { method, headers: asked, raw, socket } = request;
    const from = socket.remoteAddress;
    const refused = this.access.guard({ method, isUpgrade: false, isProbe: false, headers: asked, rawHeaders: raw.rawHeaders, from });
    if (refused) throw new HttpException({ error: refused.error, code: refused.code }, refused.status);
    const file = this.files.get(path);
    if (!file) throw new NotFoundException();
    const encoding = encodingOf(asked['accept-encoding'], file);
    void reply
      .headers({ ...headers, 'cache-control': kept, 'content-type': file.type, ...(encoding && { 'content-encoding': encoding }) })
      .send(file[encoding ?? 'plain']);
  }
}
