/** `/v2/globalParallelism`: how many attempts run, and may run, at once (protocol 2.10). */
import { Controller, Get, Inject } from '@nestjs/common';
import type { Config } from '../config.js';
import { Gates } from '../delivery/gates.js';
import { Describe } from '../http/route-description.js';
import { provided } from '../ports.js';
import { flowControlRoutes } from './flow-control.openapi.js';

@Controller('v2/globalParallelism')
export class GlobalParallelismController {
  constructor(
    private readonly gates: Gates,
    @Inject(provided.config) private readonly config: Config,
  ) {}

  @Get()
  @Describe(flowControlRoutes.globalParallelism)
  show(): { parallelismMax: number; parallelismCount: number } {
    return {
      parallelismMax: this.config.globalParallelism,
      parallelismCount: this.gates.running,
    };
  }
}
