/** `/v2/schedules`: what will be published again and again (messaging.md 7). */
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  Patch,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { TextPieces } from '../../http/bytes/listing.js';
import { sendObject } from '../../http/bytes/object-answer.js';
import { resultOf, valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { Describe } from '../../http/routes/route-description.js';
import type { ScheduleCommand } from './schedule.commands.js';
import { type ScheduleCreated, scheduleKind } from './schedule.events.js';
import type { ScheduleState } from './schedule.machine.js';
import { ScheduleList } from './schedule-list.js';
import { scheduleListFilters } from './schedule-list.request.js';
import { scheduleObject } from './schedule-object.js';
import { ScheduledMessages } from './scheduled-messages.projection.js';
import { deleteRoute, listRoute, pauseRoute, resumeRoute, showRoute } from './schedules.openapi.js';

@Controller('v2/schedules')
export class SchedulesController {
  constructor(
    private readonly engine: Engine,
    private readonly payloads: Payloads,
    private readonly messages: ScheduledMessages,
    private readonly inFlight: InFlight,
    private readonly schedules: ScheduleList,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Sent as it is read: there may be 100,000, each with a body. */
  @Get()
  @Describe(listRoute)
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const { inFlight, schedules } = this;
    const texts = schedules.texts(valueIn(readFilters(request.url, scheduleListFilters)));
    reply.header('content-type', 'application/json; charset=utf-8');
    const pieces = new TextPieces(texts, inFlight.roomFor(request, reply));
    return inFlight.answer(request, reply, pieces);
  }

  @Get(':id')
  @Describe(showRoute)
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const state = this.engine.actors(scheduleKind).find(id)?.state as ScheduleState | undefined;
    const states = this.messages.states(id, state?.context.messageIds ?? []);
    await this.engine.durable();
    if (state === undefined) throw new NotFoundException(`schedule ${id} not found`);
    const { value, context } = state;
    return sendObject(this.inFlight, request, reply, async () => {
      const definition = await this.payloads.read(context.definitionOffset);
      const created = definition as EventEnvelope<ScheduleCreated>;
      return scheduleObject(created, { value, context }, states);
    });
  }

  @Delete(':id')
  @Describe(deleteRoute)
  delete(@Param('id') id: string): Promise<void> {
    return this.ask('DeleteSchedule', id);
  }

  @Patch(':id/pause')
  @Describe(pauseRoute)
  pause(@Param('id') id: string): Promise<void> {
    return this.ask('PauseSchedule', id);
  }

  /** Both verbs are in use (messaging.md 7). */
  @Post(':id/pause')
  @Describe(pauseRoute)
  @HttpCode(200)
  pauseByPost(@Param('id') id: string): Promise<void> {
    return this.ask('PauseSchedule', id);
  }

  @Patch(':id/resume')
  @Describe(resumeRoute)
  resume(@Param('id') id: string): Promise<void> {
    return this.ask('ResumeSchedule', id);
  }

  @Post(':id/resume')
  @Describe(resumeRoute)
  @HttpCode(200)
  resumeByPost(@Param('id') id: string): Promise<void> {
    return this.ask('ResumeSchedule', id);
  }

  private async ask(
    type: Exclude<ScheduleCommand['type'], 'CreateSchedule' | 'TriggerSchedule'>,
    id: string,
  ): Promise<void> {
    const command: ScheduleCommand = { type, kind: scheduleKind, id, at: this.clock.now() };
    const [outcome] = await this.engine.dispatch([command]);
    resultOf(outcome);
  }
}
