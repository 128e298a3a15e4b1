import { timingSafeEqual } from 'node:crypto';
import { Body, Controller, Headers, HttpCode, HttpException, Module, Param, Post, type DynamicModule } from '@nestjs/common';
import { DoorledgerError } from '@doorledger/contracts';
import { isOperation, operations, type UpkeepParts } from '@doorledger/upkeep';
import { Projection } from '../../projector/src/projection.js';

/** The secret of the data folder's `running.json`, which only its user can read. */
class OperatorToken {
  constructor(readonly value: string) {}
}

/** What operators' work is done with; undefined until the process serves. */
class Upkeep {
  constructor(readonly parts: () => UpkeepParts | undefined) {}
}

/** What commands ask of the running process instead of touching its files (X4). */
@Controller('v1/operator')
class OperatorController {
  constructor(
    private readonly projection: Projection,
    private readonly token: OperatorToken,
    private readonly upkeep: Upkeep,
  ) {}

  /** Takes a ledger generation into use while everything runs. */
  @Post('switch')
  @HttpCode(200)
  async switch(@Headers('authorization') authorization: string | undefined, @Body() body: unknown): Promise<object> {
    this.#admit(authorization);
    const generation = (body as { generation?: unknown } | null)?.generation;
    if (!Number.isSafeInteger(generation))
      throw new HttpException({ error: 'Send {"generation": <number>}.', code: 'ERR_INVALID_QUERY' }, 400);
    await refusing(() => this.projection.switchTo(generation as number));
    return { generation };
  }

  /** Work on the records by its name (X2, X3, L8). */
  @Post('upkeep/:name')
  @HttpCode(200)
  async work(
    @Headers('authorization') authorization: string | undefined,
    @Param('name') name: string,
    @Body() body: unknown,
  ): Promise<object> {
    this.#admit(authorization);
    const parts = this.upkeep.parts();
    if (!isOperation(name)) throw new HttpException({ error: 'There is no such work.', code: 'ERR_NOT_FOUND' }, 404);
    if (!parts) throw new HttpException({ error: 'The process is still starting: try again soon.', code: 'ERR_LOG_UNAVAILABLE' }, 503);
    return refusing<object>(() => operations[name](Object(body) as Readonly<Record<string, unknown>>, parts));
  }

  #admit(authorization = ''): void {
    const [given, known] = [Buffer.from(authorization), Buffer.from(`Bearer ${this.token.value}`)];
    if (given.length !== known.length || !timingSafeEqual(given, known))
      throw new HttpException(
        { error: 'The operator API opens to commands of this data folder only.', code: 'ERR_IDENTITY_NOT_VERIFIED' },
        401,
      );
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
