/** `/v2/workflows/runs/{id}/why` (workflows.md 4.5). */
import { Controller, Get, Inject, Param } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { foundIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { RunSituations } from './run-situations.js';
import { whyRunRoute } from './why-run.openapi.js';
import { type RunWhy, whyRun } from './why-run.policy.js';

/** 404 for a run that the journal does not know or no longer knows. */
@Controller('v2/workflows/runs')
export class WhyRunController {
  constructor(
    private readonly situations: RunSituations,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get(':id/why')
  @Describe(whyRunRoute)
  async why(@Param('id') workflowRunId: string): Promise<{ workflowRunId: string } & RunWhy> {
    const situation = foundIn(await this.situations.of(workflowRunId), `run ${workflowRunId}`);
    return { workflowRunId, ...whyRun(situation, this.clock.now()) };
  }
}
