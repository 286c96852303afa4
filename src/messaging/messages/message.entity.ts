/** The messages in memory: those that are accepted and not final. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { TransientMap } from '../../grammar/transient-map.js';
import { DeduplicationIndex } from './deduplication.projection.js';
import type { MessageCommand } from './message.commands.js';
import { type AdmittedAttempt, type MessageView, messageDecider } from './message.decider.js';
import { type MessageEvent, messageKind } from './message.events.js';
import type { MessageState, PendingMessage } from './message.state.js';

/** A final message leaves memory: from then on only the journal holds it. */
@Injectable()
export class Messages extends Entity<MessageState, MessageCommand, MessageEvent, MessageView> {
  /** The publishes of the last ten minutes that a new one may repeat. */
  readonly deduplication: DeduplicationIndex;
  /** By message id; maintained by the code that makes the attempts. */
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

  /** The state of a pending message; undefined = it is final, or never existed. */
  pending(id: string): PendingMessage | undefined {
    const state = this.find(id)?.state;
    return state?.status === 'pending' ? state : undefined;
  }

  /** Whether a message published at `at` (Unix milliseconds) would repeat an earlier one. */
  isDuplicate(message: Parameters<DeduplicationIndex['find']>[0], at: number): boolean {
    return this.deduplication.find(message, at) !== undefined;
  }
}
