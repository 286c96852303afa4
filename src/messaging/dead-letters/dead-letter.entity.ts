/** The dead letters in memory: the index of existing letters, and their commands. */
import { Inject, Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { provided } from '../../engine/provided.js';
import { Messages } from '../messages/message.entity.js';
import type { MessagingSettings } from '../settings.js';
import type { DeadLetterCommand } from './dead-letter.commands.js';
import {
  type DeadLetterState,
  type DeadLetterView,
  deadLetterDecider,
} from './dead-letter.decider.js';
import type { DeadLetterEvent } from './dead-letter.events.js';
import { type DeadLetter, FailedMessages } from './dead-letters.projection.js';
import { LetterIndex } from './letter-index.js';

/** Whether a letter exists follows from two streams: that of its message, and its own. */
@Injectable()
export class DeadLetters extends Entity<
  DeadLetterState,
  DeadLetterCommand,
  DeadLetterEvent,
  DeadLetterView
> {
  /** The letters that were not removed. */
  readonly letters: LetterIndex<DeadLetter>;

  constructor(
    engine: Engine,
    messages: Messages,
    @Inject(provided.config)
    { deadLetterRetentionMs }: Pick<MessagingSettings, 'deadLetterRetentionMs'>,
  ) {
    const letters = new LetterIndex<DeadLetter>(deadLetterRetentionMs);
    const failures = new FailedMessages(letters, messages);
    super(engine, { decider: deadLetterDecider, view: letters, folds: [failures] });
    messages.follow(failures);
    this.letters = letters;
  }
}
