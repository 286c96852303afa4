/** `/admin/journal`: what has happened, for people who operate the server. */
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { lastOffsetOf } from '../../http/bytes/event-stream.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { By, requestIdHeader } from '../../http/identity/callers.js';
import { answerIn, valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import type { EntityMoment } from './entity-moment.js';
import { journalRoutes } from './journal.openapi.js';
import { parseActivityQuery, parseEntityQuery, parseJournalQuery } from './journal.request.js';
import type { ActivityBucket } from './journal-activity.js';
import { ShownJournal } from './shown-journal.js';

/** Reading requires the right to inspect; `reveal=true` requires the right to administer. */
@Controller('admin/journal')
export class JournalController {
  constructor(
    private readonly journal: ShownJournal,
    private readonly basic: BasicCredentials,
    private readonly inFlight: InFlight,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get()
  @Describe(journalRoutes.events)
  async events(
    @By() by: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    this.basic.require(request.raw, 'inspect');
    const question = valueIn(parseJournalQuery(request.url));
    if (question.isRevealed) this.basic.require(request.raw, 'administer');
    const { accept = '' } = request.headers;
    if (!accept.includes('text/event-stream')) {
      const room = this.inFlight.roomFor(request, reply);
      const pieces = answerIn(await this.journal.page(question, room, by));
      reply.header('content-type', 'application/x-ndjson; charset=utf-8');
      return this.inFlight.answer(request, reply, pieces);
    }
    const last = valueIn(lastOffsetOf(request.raw));
    const stream = answerIn(await this.journal.stream(question, last));
    const allowance = this.inFlight.of(request, reply);
    reply.hijack();
    reply.raw.setHeader(requestIdHeader, by.requestId);
    await stream({ response: reply.raw, allowance });
    return undefined;
  }

  @Get('activity')
  @Describe(journalRoutes.activity)
  async activity(
    @Req() request: FastifyRequest,
  ): Promise<{ readonly stepMs: number; readonly buckets: readonly ActivityBucket[] }> {
    this.basic.require(request.raw, 'inspect');
    const question = valueIn(parseActivityQuery(request.url, this.clock.now()));
    const isWanted = () => !request.raw.destroyed;
    const buckets = await this.journal.activity(question, isWanted);
    return { stepMs: question.stepMs, buckets };
  }

  @Get('entity')
  @Describe(journalRoutes.entity)
  async entity(@By() by: Caller, @Req() request: FastifyRequest): Promise<EntityMoment> {
    this.basic.require(request.raw, 'inspect');
    const question = valueIn(parseEntityQuery(request.url));
    if (question.isRevealed) this.basic.require(request.raw, 'administer');
    return answerIn(await this.journal.entity(question, by));
  }
}
