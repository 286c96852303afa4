/** `/v2/workflows/runs`: canceling many runs (workflows.md 4.2). */
import { Controller, Delete, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import { By } from '../../http/identity/callers.js';
import { valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { ActiveRuns } from './active-runs.js';
import { cancelRunsFilters } from './cancel-runs.request.js';
import { runRoutes } from './runs.openapi.js';

/**
 * Actions on one run are in `RunRoutes`: they are hot paths, or their ids contain characters at
 * which Nest's router would split.
 */
@Controller('v2/workflows/runs')
export class RunsController {
  constructor(private readonly runs: ActiveRuns) {}

  /** Cancels every run that matches; without any filter, every active run. */
  @Delete()
  @Describe(runRoutes.cancelMany)
  async cancelMany(
    @By() by: Caller,
    @Req() request: FastifyRequest,
  ): Promise<{ cancelled: number }> {
    const filters = valueIn(readFilters(request.url, cancelRunsFilters, rawBody(request)));
    return { cancelled: await this.runs.cancelMatching(filters, by) };
  }
}
