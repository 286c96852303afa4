/** `/v2/messages`: what waits to be delivered, and taking it back (messaging protocol 2.4). */
import { Controller, Delete, Get, Inject, NotFoundException, Param } from '@nestjs/common';
import type { Clock } from '../engine/clock.js';
import type { EventEnvelope } from '../engine/decider.js';
import { Engine } from '../engine/engine.js';
import { Payloads } from '../engine/payloads.js';
import { resultOf } from '../http/outcome.js';
import { provided } from '../ports.js';
import type { CancelMessage } from './message.commands.js';
import { type MessagePublished, messageKind } from './message.events.js';
import { type MessageObject, messageObject } from './message-object.js';
import { messageTerms } from './message-terms.js';

@Controller('v2/messages')
export class MessagesController {
  constructor(
    private readonly engine: Engine,
    private readonly payloads: Payloads,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get(':id')
  async show(@Param('id') id: string): Promise<MessageObject> {
    const actor = this.engine.actors(messageKind).find(id);
    await this.engine.durable();
    if (actor === undefined) throw new NotFoundException(`message ${id} not found`);
    const published = await this.payloads.read(actor.firstOffset);
    return messageObject(published as EventEnvelope<MessagePublished>);
  }

  @Delete(':id')
  async cancel(@Param('id') id: string): Promise<{ cancelled: number }> {
    const actor = this.engine.actors(messageKind).find(id);
    await this.engine.durable();
    const published = actor && (await this.payloads.read(actor.firstOffset));
    const terms = published ? messageTerms(published.event as MessagePublished) : [];
    const at = this.clock.now();
    const command: CancelMessage = { type: 'CancelMessage', kind: messageKind, id, at, terms };
    const [outcome] = await this.engine.dispatch([command]);
    resultOf(outcome);
    return { cancelled: 1 };
  }
}
