import { Controller, Get, HttpException, Module, type DynamicModule } from '@nestjs/common';

/** Why the process should get no requests, in words; empty when it is ready. */
abstract class Readiness {
  abstract problems(): string[];
}

@Controller()
class HealthController {
  readonly #startedAt = Date.now();

  constructor(private readonly readiness: Readiness) {}

  /** D2: liveness. */
  @Get('health')
  health(): object {
    return { status: 'ok', uptimeMs: Date.now() - this.#startedAt };
  }

  /** D2: 200, or 503 with the reasons. */
  @Get('ready')
  ready(): object {
    const problems = this.readiness.problems();
    if (problems.length > 0) {
      const why = problems.map((problem) => problem.replace(/\.$/, '')).join('; ');
      throw new HttpException({ status: 'not-ready', error: `Not ready: ${why}.`, problems }, 503);
    }
    return { status: 'ready' };
  }
}

@Module({})
export class HealthModule {
  static with(problems: () => string[]): DynamicModule {
    return { module: HealthModule, controllers: [HealthController], providers: [{ provide: Readiness, useValue: { problems } }] };
  }
}
