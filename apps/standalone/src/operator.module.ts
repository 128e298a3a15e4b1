import { timingSafeEqual } from 'node:crypto';
import {
  Controller,
  HttpCode,
  HttpException,
  Injectable,
  Module,
  Param,
  Post,
  UseGuards,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
} from '@nestjs/common';
import { DoorledgerError } from '@doorledger/contracts';
import { isOperation, operations, type UpkeepParts } from '@doorledger/upkeep';
import type { FastifyRequest } from 'fastify';
import { Sent } from '../../host/src/sent-fields.js';
import { Projection } from '../../projector/src/projection.js';

/** The secret of the data folder's `running.json`, which only its user can read. */
class OperatorToken {
  constructor(readonly value: string) {}
}

/** What operators' work is done with; undefined until the process serves. */
class Upkeep {
  constructor(readonly parts: () => UpkeepParts | undefined) {}
}

/** Before anything of the body is read. */
@Injectable()
class OperatorGuard implements CanActivate {
  constructor(private readonly token: OperatorToken) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const [given, known] = [Buffer.from(authorization), Buffer.from(`Bearer ${this.token.value}`)];
    if (given.length === known.length && timingSafeEqual(given, known)) return true;
    const error = 'The operator API opens to commands of this data folder only.';
    throw new HttpException({ error, code: 'ERR_IDENTITY_NOT_VERIFIED' }, 401);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** What commands ask of the running process instead of touching its files (X4). */
@Controller('v1/operator')
@UseGuards(OperatorGuard)
class OperatorController {
  constructor(
    private readonly projection: Projection,
    private readonly upkeep: Upkeep,
  ) {}

  /** Takes a ledger generation into use while everything runs. */
  @Post('switch')
  @HttpCode(200)
  async switch(@Sent() { generation }: Fields): Promise<object> {
    if (!Number.isSafeInteger(generation))
      throw new HttpException({ error: 'Send {"generation": <number>}.', code: 'ERR_INVALID_QUERY' }, 400);
    await refusing(() => this.projection.switchTo(generation as number));
    return { generation };
  }

  /** Work on the records by its name (X2, X3, L8). */
  @Post('upkeep/:name')
  @HttpCode(200)
  async work(@Param('name') name: string, @Sent() fields: Fields): Promise<object> {
    const parts = this.upkeep.parts();
    if (!isOperation(name)) throw new HttpException({ error: 'There is no such work.', code: 'ERR_NOT_FOUND' }, 404);
    if (!parts) throw new HttpException({ error: 'The process is still starting: try again soon.', code: 'ERR_LOG_UNAVAILABLE' }, 503);
    return refusing<object>(() => operations[name](fields, parts));
  }
}

/** A refusal of ours with its own sentence. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DoorledgerError) throw new HttpException({ error: error.message, code: error.code }, 409);
    throw error;
  }
}

@Module({})
export class OperatorModule {
  static with(projection: Projection, token: string, parts: () => UpkeepParts | undefined): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [OperatorController],
      providers: [
        { provide: Projection, useValue: projection },
        { provide: OperatorToken, useValue: new OperatorToken(token) },
        { provide: Upkeep, useValue: new Upkeep(parts) },
      ],
    };
  }
}
