/** Messages as features hold them: those that are accepted and not final. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { TransientMap } from '../../grammar/transient-map.js';
import { DeduplicationIndex } from './deduplication.projection.js';
import type { MessageCommand } from './message.commands.js';
import { type AdmittedAttempt, type MessageView, messageDecider } from './message.decider.js';
import { type MessageEvent, messageKind } from './message.events.js';
import type { MessageState, PendingMessage } from './message.state.js';

/** A message that is final leaves memory: from then on only the journal knows it. */
@Injectable()
export class Messages extends Entity<MessageState, MessageCommand, MessageEvent, MessageView> {
  /** Which publishes of the last ten minutes a new one would repeat. */
  readonly deduplication: DeduplicationIndex;
  /** By message; kept by what makes the attempts. */
  readonly admittedAttempts: TransientMap<string, AdmittedAttempt>;

  constructor(engine: Engine) {
    const deduplication = new DeduplicationIndex();
    const publishedOffset = (id: string) => engine.actors(messageKind).firstOffsetOf(id);
    const admittedAttempts = new TransientMap<string, AdmittedAttempt>();
    const admittedAttempt = (id: string) => admittedAttempts.get(id);
    const view = { deduplication, publishedOffset, admittedAttempt };
    super(engine, { decider: messageDecider(), view, folds: [deduplication] });
    this.deduplication = deduplication;
    this.admittedAttempts = admittedAttempts;
  }

  /** A message as memory holds it; undefined = it is final, or never was. */
  pending(id: string): PendingMessage | undefined {
    const state = this.find(id)?.state;
    return state?.status === 'pending' ? state : undefined;
  }

  /** Whether a message that is published at `at`, Unix milliseconds, repeats an earlier one. */
  isDuplicate(message: Parameters<DeduplicationIndex['find']>[0], at: number): boolean {
    return this.deduplication.find(message, at) !== undefined;
  }
}
