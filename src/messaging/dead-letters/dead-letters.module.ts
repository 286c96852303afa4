/** Wiring of dead letters. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { gauge } from '../../engine/metrics/gauge.js';
import { LetterFailures } from '../dead-letter-errors/letter-failures.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { DeadLetters } from './dead-letter.entity.js';
import { DeadLetterMatching } from './dead-letter-matching.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { DeadLettersService } from './dead-letters.service.js';
import { LetterSources } from './letter-sources.js';

/** Exports what groups, jobs and failed runs need. */
@Module({
  imports: [DeliveryModule, MessagesModule],
  controllers: [DeadLettersController],
  providers: [DeadLetterMatching, DeadLetters, DeadLettersService, LetterFailures, LetterSources],
  exports: [DeadLetterMatching, DeadLetters, DeadLettersService, LetterFailures, LetterSources],
})
export class DeadLettersModule {
  constructor({ letters }: DeadLetters, registry: Registry) {
    const help = 'Dead letters: messages that failed for good and are kept.';
    gauge(registry, 'stepwell_dead_letters', help, () => letters.size);
  }
}
