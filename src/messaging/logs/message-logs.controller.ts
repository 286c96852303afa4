/** `/v2/logs` and `/v2/events`: one listing under two names (messaging.md 9). */
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InFlight } from '../../http/bytes/in-flight.js';
import { damagedPlaces, sendListing } from '../../http/bytes/listing.js';
import { valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { MessageLogCounts } from './log-counts.js';
import { pagesOf } from './log-page.js';
import { parseCountsQuery, parseLogQuery } from './logs.request.js';
import { MessageLog } from './message-log.js';
import { type CountsAnswer, countsRoute, eventsRoute, logsRoute } from './message-logs.openapi.js';

/** A search ends when its client has gone. */
@Controller('v2')
export class MessageLogsController {
  constructor(
    private readonly log: MessageLog,
    private readonly counts: MessageLogCounts,
    private readonly inFlight: InFlight,
  ) {}

  @Get('logs')
  @Describe(logsRoute)
  logs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return this.send(request, reply, 'logs');
  }

  @Get('events')
  @Describe(eventsRoute)
  events(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return this.send(request, reply, 'events');
  }

  @Get('logs/counts')
  @Describe(countsRoute)
  async counted(@Req() { url, raw }: FastifyRequest): Promise<CountsAnswer> {
    const query = valueIn(parseCountsQuery(url));
    const isWanted = () => !raw.socket.destroyed;
    const { counts, cursor, searchedTo, damages } = await this.counts.counts({
      ...query,
      isWanted,
    });
    return {
      by: query.by,
      ...(query.bucketMs !== null && { bucket: query.bucketMs }),
      counts,
      ...(cursor !== null && { cursor }),
      ...(searchedTo !== null && { searchedTo }),
      ...(damages.length > 0 && { damaged: damagedPlaces(damages) }),
    };
  }

  private send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const pages = pagesOf(valueIn(parseLogQuery(request.url)), request.raw, (query) =>
      this.log.page(query),
    );
    return sendListing(this.inFlight, request, reply, name, pages);
  }
}
