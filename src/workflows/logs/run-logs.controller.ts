/** The routes of the logs of runs: row by row, and run by run (workflows.md 5). */
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InFlight } from '../../http/bytes/in-flight.js';
import { sendListing } from '../../http/bytes/listing.js';
import { valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { pagesOf } from '../../messaging/logs/log-page.js';
import { RunList } from './run-list.js';
import { RunLog } from './run-log.js';
import { runEventsRoute, runLogsRoute, runMessageLogsRoute } from './run-logs.openapi.js';
import { isGrouped, parseRunListQuery, parseRunLogQuery } from './run-logs.request.js';

/** Ends a search when the client disconnects. */
@Controller('v2/workflows')
export class RunLogsController {
  constructor(
    private readonly log: RunLog,
    private readonly list: RunList,
    private readonly inFlight: InFlight,
  ) {}

  @Get('messageLogs')
  @Describe(runMessageLogsRoute)
  messageLogs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return this.rows(request, reply);
  }

  @Get('events')
  @Describe(runEventsRoute)
  events(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return isGrouped(request.url) ? this.runs(request, reply) : this.rows(request, reply);
  }

  @Get('logs')
  @Describe(runLogsRoute)
  logs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return this.runs(request, reply);
  }

  private rows(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const pages = pagesOf(valueIn(parseRunLogQuery(request.url)), request.raw, (query) =>
      this.log.page(query),
    );
    return sendListing(this.inFlight, request, reply, 'events', pages);
  }

  private runs(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const pages = pagesOf(valueIn(parseRunListQuery(request.url)), request.raw, (query) =>
      this.list.page(query),
    );
    return sendListing(this.inFlight, request, reply, 'runs', pages);
  }
}
