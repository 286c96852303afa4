/** Moves the next attempt of a pending message to another time, or to now. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { ok, Refusal, type Result } from '../../grammar/result.js';
import type { RescheduleMessage } from '../messages/message.commands.js';
import { Messages } from '../messages/message.entity.js';
import { messageKind } from '../messages/message.events.js';
import { messageTerms } from '../messages/recorded-events.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { EndpointCalls } from './message.effects.js';

/** The result of a move; the time is in Unix milliseconds. */
export interface Rescheduled {
  readonly messageId: string;
  readonly notBefore: number;
}

/** The new time is durable when it is answered. Later retries count from the attempt, as usual. */
@Injectable()
export class Rescheduling {
  constructor(
    private readonly messages: Messages,
    private readonly stored: StoredMessages,
    private readonly calls: EndpointCalls,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Starts the next attempt as soon as the gates admit it. */
  deliverNow(id: string, by: Principal): Promise<Result<Rescheduled>> {
    return this.moveTo(id, null, by);
  }

  /**
   * Moves the next attempt to `notBefore`, in Unix milliseconds; null = now. Refused as `not_found`
   * if the message is not pending, and as a conflict if its attempt is in flight: the attempt is
   * not cut off, and nothing is moved.
   */
  async moveTo(id: string, notBefore: number | null, by: Principal): Promise<Result<Rescheduled>> {
    const offset = this.messages.actors.firstOffsetOf(id);
    const terms =
      offset === undefined ? [] : messageTerms((await this.stored.published(offset)).event);
    if (this.messages.has(id) && this.calls.startedAt(id) !== null) {
      return new Refusal(
        'conflict',
        `an attempt of message ${id} is in flight and cannot be moved`,
      );
    }
    const at = this.clock.now();
    const time = notBefore ?? at;
    const asked = await this.messages.ask(rescheduled(id, at, time, terms), by);
    return asked.ok ? ok({ messageId: id, notBefore: time }) : asked;
  }
}

function rescheduled(
  id: string,
  at: number,
  notBefore: number,
  terms: readonly string[],
): RescheduleMessage {
  return { type: 'RescheduleMessage', kind: messageKind, id, at, notBefore, terms };
}
