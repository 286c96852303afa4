/** `/v2/messages`: what waits to be delivered, and taking it back (messaging.md 2.4). */
import { Controller, Delete, Get, NotFoundException, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { resultOf, valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { type MessageObject, messageObject } from '../messages/message-object.js';
import { cancelFilters } from './cancel.request.js';
import { MessageBodies } from './message-bodies.js';
import { messageRoutes } from './messages.openapi.js';
import { PendingMessages } from './pending-messages.js';

@Controller('v2/messages')
export class MessagesController {
  constructor(
    private readonly pending: PendingMessages,
    private readonly bodies: MessageBodies,
  ) {}

  @Get(':id')
  @Describe(messageRoutes.show)
  async show(@Param('id') id: string): Promise<MessageObject> {
    const published = await this.pending.find(id);
    if (published === null) throw new NotFoundException(`message ${id} not found`);
    return messageObject(published, await this.bodies.readShown(published));
  }

  /** Everything that matches; without any filter that is every message there is. */
  @Delete()
  @Describe(messageRoutes.cancelMany)
  async cancelMany(@Req() request: FastifyRequest): Promise<{ cancelled: number }> {
    const filters = valueIn(readFilters(request.url, cancelFilters, rawBody(request)));
    return { cancelled: await this.pending.cancelMatching(filters) };
  }

  @Delete(':id')
  @Describe(messageRoutes.cancel)
  async cancel(@Param('id') id: string): Promise<{ cancelled: number }> {
    resultOf(await this.pending.cancel(id));
    return { cancelled: 1 };
  }
}
