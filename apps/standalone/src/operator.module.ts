import { timingSafeEqual } from 'node:crypto';
import { Body, Controller, Headers, HttpCode, HttpException, Module, Post, type DynamicModule } from '@nestjs/common';
import { DoorledgerError } from '@doorledger/contracts';
import { Projection } from '../../projector/src/projection.js';

/** The secret of the data folder's `running.json`, which only its user can read. */
class OperatorToken {
  constructor(readonly value: string) {}
}

/** What commands ask of the running process instead of touching its files (X4). */
@Controller('v1/operator')
class OperatorController {
  constructor(
    private readonly projection: Projection,
    private readonly token: OperatorToken,
  ) {}

  /** Takes a ledger generation into use while everything runs. */
  @Post('switch')
  @HttpCode(200)
  async switch(@Headers('authorization') authorization: string | undefined, @Body() body: unknown): Promise<object> {
    this.#admit(authorization);
    const generation = (body as { generation?: unknown } | null)?.generation;
    if (!Number.isSafeInteger(generation))
      throw new HttpException({ error: 'Send {"generation": <number>}.', code: 'ERR_INVALID_QUERY' }, 400);
    try {
      await this.projection.switchTo(generation as number);
    } catch (error) {
      if (error instanceof DoorledgerError) throw new HttpException({ error: error.message, code: error.code }, 409);
      throw error;
    }
    return { generation };
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

@Module({})
export class OperatorModule {
  static with(projection: Projection, token: string): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [OperatorController],
      providers: [
        { provide: Projection, useValue: projection },
        { provide: OperatorToken, useValue: new OperatorToken(token) },
      ],
    };
  }
}
