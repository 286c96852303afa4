/** Moves the next attempt of a pending message to another time, now included. */
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

/** What became of it; the time in Unix milliseconds. */
export interface Rescheduled {
  readonly messageId: string;
  readonly notBefore: number;
}

/** The time is durable when it is answered; retries that follow count from the attempt, as ever. */
@Injectable()
export class Rescheduling {
  constructor(
    private readonly messages: Messages,
    private readonly stored: StoredMessages,
    private readonly calls: EndpointCalls,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Has the next attempt start as soon as the gates let it in. */
  deliverNow(id: string, by: Principal): Promise<Result<Rescheduled>> {
    return this.moveTo(id, null, by);
  }

  /**
   * `notBefore` in Unix milliseconds; null = now. Refused as `not_found` where nothing is pending,
   * as a conflict where the attempt is in flight: it is not cut, and nothing is moved.
   */
  async moveTo(id: string, notBefore: number | null, by: Principal): Promise<Result<Rescheduled>> {
    const offset = this.messages.actors.firstOffsetOf(id);
    const terms =
      offset === undefined ? [] : messageTerms((await this.stored.published(offset)).event);
    if (this.messages.has(id) && this.calls.startedAt(id) !== null) {
      return new Refusal('conflict', `an attempt of message ${id} is in flight: it is not moved`);
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
