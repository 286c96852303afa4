/** Wiring of dead letters. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Payloads } from '../../engine/payloads.js';
import type { Config } from '../../server/configuration/config.js';
import { Metrics } from '../../server/metrics/metrics.js';
import { provided } from '../../server/ports.js';
import { FailedRunsModule } from '../../workflows/failed-runs/failed-runs.module.js';
import { MessagesModule } from '../delivery/messages.module.js';
import { messageKind } from '../messages/message.events.js';
import type { MessageState } from '../messages/message.state.js';
import { MessageBodies } from '../messages/message-bodies.js';
import { deadLetterDecider } from './dead-letter.decider.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { type DeadLetter, DeadLetters, type Publication } from './dead-letters.projection.js';
import { DeadLettersDesk } from './dead-letters-desk.js';
import { LetterShelf } from './letter-shelf.js';

@Module({
  imports: [MessagesModule, FailedRunsModule],
  controllers: [DeadLettersController],
  providers: [
    {
      provide: DeadLettersDesk,
      inject: [
        Engine,
        Payloads,
        MessageBodies,
        Metrics,
        provided.config,
        provided.clock,
        provided.identifiers,
      ],
      useFactory: deadLettersDesk,
    },
  ],
})
export class DeadLettersModule {}

function deadLettersDesk(
  engine: Engine,
  payloads: Payloads,
  bodies: MessageBodies,
  metrics: Metrics,
  { deadLetterRetentionMs }: Config,
  clock: Clock,
  identifiers: Identifiers,
): DeadLettersDesk {
  const letters = new LetterShelf<DeadLetter>(deadLetterRetentionMs);
  const failures = new DeadLetters(letters, (id) => publicationOf(engine, id));
  engine.register({ decider: deadLetterDecider, view: letters, folds: [failures] });
  engine.follow(messageKind, failures);
  metrics.watchDeadLetters(() => letters.size);
  const readShown: MessageBodies['readShown'] = (published) => bodies.readShown(published);
  return new DeadLettersDesk({ engine, payloads, readShown, letters, clock, identifiers });
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
