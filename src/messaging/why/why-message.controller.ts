/** `/v2/messages/{id}/why` (messaging.md 2.5). */
import { Controller, Get, Inject, Param } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { foundIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { MessageSituations } from './message-situations.js';
import { whyMessageRoute } from './why.openapi.js';
import { type MessageWhy, whyMessage } from './why-message.policy.js';

/** Answers 404 for a message that the journal does not hold, or no longer. */
@Controller('v2/messages')
export class WhyMessageController {
  constructor(
    private readonly situations: MessageSituations,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get(':id/why')
  @Describe(whyMessageRoute)
  async why(@Param('id') messageId: string): Promise<{ messageId: string } & MessageWhy> {
    const situation = foundIn(await this.situations.of(messageId), `message ${messageId}`);
    return { messageId, ...whyMessage(situation, this.clock.now()) };
  }
}
