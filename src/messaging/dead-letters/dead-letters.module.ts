/** Wiring of dead letters. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { MessageBodies } from '../delivery/message-bodies.js';
import { messageKind } from '../messages/message.events.js';
import type { MessageState } from '../messages/message.state.js';
import type { MessagingSettings } from '../settings.js';
import { deadLetterDecider } from './dead-letter.decider.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { type DeadLetter, DeadLetters, type Publication } from './dead-letters.projection.js';
import { DeadLettersService } from './dead-letters.service.js';
import { LetterIndex } from './letter-index.js';
import { LetterSources } from './letter-sources.js';

@Module({
  imports: [DeliveryModule],
  controllers: [DeadLettersController],
  providers: [
    LetterSources,
    {
      provide: DeadLettersService,
      inject: [
        Engine,
        Payloads,
        MessageBodies,
        Registry,
        provided.config,
        provided.clock,
        provided.identifiers,
      ],
      useFactory: deadLettersDesk,
    },
  ],
  exports: [LetterSources],
})
export class DeadLettersModule {}

function deadLettersDesk(
  engine: Engine,
  payloads: Payloads,
  bodies: MessageBodies,
  registry: Registry,
  { deadLetterRetentionMs }: MessagingSettings,
  clock: Clock,
  identifiers: Identifiers,
): DeadLettersService {
  const letters = new LetterIndex<DeadLetter>(deadLetterRetentionMs);
  const failures = new DeadLetters(letters, (id) => publicationOf(engine, id));
  engine.register({ decider: deadLetterDecider, view: letters, folds: [failures] });
  engine.follow(messageKind, failures);
  const help = 'Messages that failed for good and are kept.';
  gauge(registry, 'stepwell_dead_letters', help, () => letters.size);
  const readShown: MessageBodies['readShown'] = (published) => bodies.readShown(published);
  return new DeadLettersService({ engine, payloads, readShown, letters, clock, identifiers });
}

function publicationOf(engine: Engine, messageId: string): Publication | undefined {
  const message = engine.actors(messageKind).find(messageId);
  if (message === undefined) return undefined;
  const state = message.state as MessageState;
  return {
    offset: message.firstOffset,
    isOfRun: state.status === 'pending' && state.run !== null,
  };
}
