/** `/v2/globalParallelism`: how many attempts are in flight, and the limit (messaging.md 8). */
import { Controller, Get, Inject } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { Describe } from '../../http/routes/route-description.js';
import { Gates } from '../gates/gates.js';
import type { MessagingSettings } from '../settings.js';
import { flowControlRoutes } from './flow-control.openapi.js';

/** The limit is a setting and cannot be changed here. */
@Controller('v2/globalParallelism')
export class GlobalParallelismController {
  constructor(
    private readonly gates: Gates,
    @Inject(provided.config) private readonly config: MessagingSettings,
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
