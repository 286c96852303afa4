/** The logs of runs: row by row, and run by run (spec: messageLogs; messaging protocol 3.5). */
import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { valueIn } from '../http/outcome.js';
import { Describe } from '../http/route-description.js';
import { RunList } from './run-list.js';
import { RunLog } from './run-log.js';
import type { RunLogRow } from './run-log-row.js';
import { runEventsRoute, runLogsRoute, runMessageLogsRoute } from './run-logs.openapi.js';
import { isGrouped, parseRunListQuery, parseRunLogQuery } from './run-logs.request.js';
import type { RunObject } from './run-object.js';

interface Rows {
  readonly events: readonly RunLogRow[];
}

interface Runs {
  readonly runs: readonly RunObject[];
}

@Controller('v2/workflows')
export class RunLogsController {
  constructor(
    private readonly log: RunLog,
    private readonly list: RunList,
  ) {}

  @Get('messageLogs')
  @Describe(runMessageLogsRoute)
  messageLogs(@Req() request: FastifyRequest): Promise<Rows> {
    return this.rows(request);
  }

  @Get('events')
  @Describe(runEventsRoute)
  events(@Req() request: FastifyRequest): Promise<Rows | Runs> {
    return isGrouped(request.url) ? this.runs(request) : this.rows(request);
  }

  @Get('logs')
  @Describe(runLogsRoute)
  logs(@Req() request: FastifyRequest): Promise<Runs> {
    return this.runs(request);
  }

  private async rows(request: FastifyRequest): Promise<Rows> {
    const { rows, cursor } = await this.log.page(valueIn(parseRunLogQuery(request.url)));
    return { ...(cursor !== null && { cursor }), events: rows };
  }

  private async runs(request: FastifyRequest): Promise<Runs> {
    const { rows, cursor } = await this.list.page(valueIn(parseRunListQuery(request.url)));
    return { ...(cursor !== null && { cursor }), runs: rows };
  }
}
