/** `/v2/logs` and `/v2/events`: one listing under two names (messaging protocol 2.8). */
import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { valueIn } from '../http/outcome.js';
import { Describe } from '../http/route-description.js';
import type { LogPageContent } from './log-page.js';
import type { LogRow } from './log-row.js';
import { parseLogQuery } from './logs.request.js';
import { MessageLog } from './message-log.js';
import { eventsRoute, logsRoute } from './message-logs.openapi.js';

@Controller('v2')
export class MessageLogsController {
  constructor(private readonly log: MessageLog) {}

  @Get('logs')
  @Describe(logsRoute)
  async logs(@Req() request: FastifyRequest): Promise<{ logs: readonly LogRow[] }> {
    const { rows, cursor } = await this.page(request);
    return { ...(cursor !== null && { cursor }), logs: rows };
  }

  @Get('events')
  @Describe(eventsRoute)
  async events(@Req() request: FastifyRequest): Promise<{ events: readonly LogRow[] }> {
    const { rows, cursor } = await this.page(request);
    return { ...(cursor !== null && { cursor }), events: rows };
  }

  private page(request: FastifyRequest): Promise<LogPageContent<LogRow>> {
    return this.log.page(valueIn(parseLogQuery(request.url)));
  }
}
