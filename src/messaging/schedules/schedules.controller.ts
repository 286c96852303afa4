/** `/v2/schedules`: lists and manages schedules (messaging.md 7). */
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { TextPieces } from '../../http/bytes/listing.js';
import { sendObject } from '../../http/bytes/object-answer.js';
import { By } from '../../http/identity/callers.js';
import { foundIn, valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { Describe } from '../../http/routes/route-description.js';
import type { ScheduleCommand } from './schedule.commands.js';
import { Schedules } from './schedule.entity.js';
import { scheduleKind } from './schedule.events.js';
import { ScheduleList } from './schedule-list.js';
import { scheduleListFilters } from './schedule-list.request.js';
import { scheduleObject } from './schedule-object.js';
import { deleteRoute, listRoute, pauseRoute, resumeRoute, showRoute } from './schedules.openapi.js';
import { StoredDefinitions } from './stored-definitions.js';

/** Schedules are created by a publish (`ScheduleRoute`). 404 if a schedule does not exist. */
@Controller('v2/schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: Schedules,
    private readonly definitions: StoredDefinitions,
    private readonly listing: ScheduleList,
    private readonly inFlight: InFlight,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The answer is sent as it is read: there may be 100,000 schedules, each with a body. */
  @Get()
  @Describe(listRoute)
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const { inFlight, listing } = this;
    const texts = listing.texts(valueIn(readFilters(request.url, scheduleListFilters)));
    reply.header('content-type', 'application/json; charset=utf-8');
    const pieces = new TextPieces(texts, inFlight.roomFor(request, reply));
    return inFlight.answer(request, reply, pieces, true);
  }

  @Get(':id')
  @Describe(showRoute)
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const found = await this.schedules.shown(() => this.snapshotOf(id));
    const { value, context, states } = foundIn(found, `schedule ${id}`);
    return sendObject(this.inFlight, request, reply, async () => {
      const definition = await this.definitions.at(context.definitionOffset);
      return scheduleObject(definition, { value, context }, states);
    });
  }

  @Delete(':id')
  @Describe(deleteRoute)
  delete(@By() by: Caller, @Param('id') id: string): Promise<void> {
    return this.carryOut(by, 'DeleteSchedule', id);
  }

  @Patch(':id/pause')
  @Describe(pauseRoute)
  pause(@By() by: Caller, @Param('id') id: string): Promise<void> {
    return this.carryOut(by, 'PauseSchedule', id);
  }

  /** Clients use both verbs (messaging.md 7). */
  @Post(':id/pause')
  @Describe(pauseRoute)
  @HttpCode(200)
  pauseByPost(@By() by: Caller, @Param('id') id: string): Promise<void> {
    return this.carryOut(by, 'PauseSchedule', id);
  }

  @Patch(':id/resume')
  @Describe(resumeRoute)
  resume(@By() by: Caller, @Param('id') id: string): Promise<void> {
    return this.carryOut(by, 'ResumeSchedule', id);
  }

  @Post(':id/resume')
  @Describe(resumeRoute)
  @HttpCode(200)
  resumeByPost(@By() by: Caller, @Param('id') id: string): Promise<void> {
    return this.carryOut(by, 'ResumeSchedule', id);
  }

  private async carryOut(
    by: Caller,
    type: 'PauseSchedule' | 'ResumeSchedule' | 'DeleteSchedule',
    id: string,
  ): Promise<void> {
    const command: ScheduleCommand = { type, kind: scheduleKind, id, at: this.clock.now() };
    valueIn(await this.schedules.ask(command, by));
  }

  /** A schedule as it is now, and the states of the messages of its last trigger. */
  private snapshotOf(id: string) {
    const state = this.schedules.find(id)?.state;
    if (state === undefined) return null;
    const { value, context } = state;
    return { value, context, states: this.schedules.messages.states(id, context.messageIds) };
  }
}
