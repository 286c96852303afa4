/** `GET /v2/messages`: lists pending messages and shows one message (messaging.md 2.4). */
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InFlight } from '../../http/bytes/in-flight.js';
import { sendListing } from '../../http/bytes/listing.js';
import { sendObject } from '../../http/bytes/object-answer.js';
import { foundIn, valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { pagesOf } from '../logs/log-page.js';
import { MessageList } from './message-list.js';
import { parseListQuery, parseShowQuery } from './message-list.request.js';
import { ShownMessages } from './shown-message.js';
import { shownMessageRoutes } from './shown-messages.openapi.js';

/**
 * Clients take a 404 to mean that a message has ended, so a final message is shown only with
 * `final=true`.
 */
@Controller('v2/messages')
export class ShownMessagesController {
  constructor(
    private readonly list: MessageList,
    private readonly messages: ShownMessages,
    private readonly inFlight: InFlight,
  ) {}

  @Get()
  @Describe(shownMessageRoutes.list)
  pages(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const pages = pagesOf(valueIn(parseListQuery(request.url)), request.raw, (query) =>
      this.list.page(query),
    );
    return sendListing(this.inFlight, request, reply, 'messages', pages);
  }

  @Get(':id')
  @Describe(shownMessageRoutes.show)
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { isFinalShown } = valueIn(parseShowQuery(request.url));
    const pending = await this.messages.pending(id);
    const found = pending ?? (isFinalShown ? await this.messages.ended(id) : null);
    const message = foundIn(found, `message ${id}`);
    return sendObject(this.inFlight, request, reply, () => this.messages.object(message));
  }
}
