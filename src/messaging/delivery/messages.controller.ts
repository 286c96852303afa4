/** `/v2/messages`: cancels or moves pending messages (messaging.md 2.4, 2.6). */
import { Controller, Delete, HttpCode, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { By } from '../../http/identity/callers.js';
import { valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import type { MessagingSettings } from '../settings.js';
import { cancelFilters } from './cancel.request.js';
import { messageRoutes } from './messages.openapi.js';
import { PendingMessages } from './pending-messages.js';
import { parseReschedule } from './reschedule.request.js';
import { type Rescheduled, Rescheduling } from './rescheduling.js';

/** Answers 404 if the message is not pending, 409 if the attempt to be moved is in flight. */
@Controller('v2/messages')
export class MessagesController {
  constructor(
    private readonly pending: PendingMessages,
    private readonly rescheduling: Rescheduling,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) private readonly config: Pick<MessagingSettings, 'delayMaxMs'>,
  ) {}

  /** Cancels every message that matches; without any filter, every message. */
  @Delete()
  @Describe(messageRoutes.cancelMany)
  async cancelMany(
    @By() by: Caller,
    @Req() request: FastifyRequest,
  ): Promise<{ cancelled: number }> {
    const filters = valueIn(readFilters(request.url, cancelFilters, rawBody(request)));
    return { cancelled: await this.pending.cancelMatching(filters, by) };
  }

  @Delete(':id')
  @Describe(messageRoutes.cancel)
  async cancel(@By() by: Caller, @Param('id') id: string): Promise<{ cancelled: number }> {
    valueIn(await this.pending.cancel(id, by));
    return { cancelled: 1 };
  }

  @Post(':id/deliver')
  @HttpCode(200)
  @Describe(messageRoutes.deliver)
  async deliver(@By() by: Caller, @Param('id') id: string): Promise<Rescheduled> {
    return valueIn(await this.rescheduling.deliverNow(id, by));
  }

  @Patch(':id')
  @Describe(messageRoutes.move)
  async move(
    @By() by: Caller,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<Rescheduled> {
    const { delayMaxMs } = this.config;
    const time = valueIn(parseReschedule(rawBody(request), this.clock.now(), delayMaxMs));
    return valueIn(await this.rescheduling.moveTo(id, time, by));
  }
}
