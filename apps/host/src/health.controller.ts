import { Controller, Get, HttpException } from '@nestjs/common';
import { Host } from './host.js';

@Controller()
export class HealthController {
  constructor(private readonly host: Host) {}

  /** D2: liveness. */
  @Get('health')
  health(): object {
    return { status: 'ok', uptimeMs: Date.now() - this.host.startedAt };
  }

  /** D2: 200, or 503 with the reasons. */
  @Get('ready')
  ready(): object {
    const problems = this.host.problems();
    if (problems.length > 0) throw new HttpException({ status: 'not-ready', error: `Not ready: ${problems.join('; ')}.`, problems }, 503);
    return { status: 'ready' };
  }
}
