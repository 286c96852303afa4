/** `/v2/messages`: what waits to be delivered, and taking it back (messaging.md 2.4). */
import { Controller, Delete, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { sendObject } from '../../http/bytes/object-answer.js';
import { By } from '../../http/identity/caller.js';
import { foundIn, valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { messageObject } from '../messages/message-object.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { cancelFilters } from './cancel.request.js';
import { MessageBodies } from './message-bodies.js';
import { messageRoutes } from './messages.openapi.js';
import { PendingMessages } from './pending-messages.js';

@Controller('v2/messages')
export class MessagesController {
  constructor(
    private readonly pending: PendingMessages,
    private readonly stored: StoredMessages,
    private readonly bodies: MessageBodies,
    private readonly inFlight: InFlight,
  ) {}

  @Get(':id')
  @Describe(messageRoutes.show)
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const offset = foundIn(await this.pending.offsetOf(id), `message ${id}`);
    return sendObject(this.inFlight, request, reply, async () => {
      const published = await this.stored.published(offset);
      return messageObject(published, await this.bodies.readShown(published));
    });
  }

  /** Everything that matches; without any filter that is every message there is. */
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
}
