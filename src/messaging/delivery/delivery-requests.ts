/** The HTTP request of an attempt: the message as it was published, composed and signed. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import { dialects } from '../../http/dialect.js';
import type { Published } from '../messages/message.events.js';
import { RunDeliveries } from '../messages/run-deliveries.js';
import { runHeaders } from '../messages/run-headers.js';
import type { OutgoingAttempt } from '../outbound/attempt-outcome.js';
import { deliveryHeaders } from '../outbound/delivery-headers.js';
import type { MessagingSettings } from '../settings.js';
import { Keyring } from '../signing-keys/keyring.js';
import { answerLimits, capturedBytesMax } from './captured-answer.js';
import { MessageBodies } from './message-bodies.js';

@Injectable()
export class DeliveryRequests {
  constructor(
    private readonly bodies: MessageBodies,
    private readonly runs: RunDeliveries,
    private readonly keyring: Keyring,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {}

  /** The request of attempt number `attempt`, from 0; its signature holds from now on. */
  async of(published: Published, attempt: number): Promise<OutgoingAttempt> {
    const { event, id } = published;
    const body = await this.bodies.read(published);
    const forwarded = event.run === null ? event.headers : await this.runs.headers(published);
    const { messagePrefix, userAgent } = dialects[event.dialect];
    const sent = event.method === 'GET' ? null : body;
    const { timeoutMs } = this.config;
    return {
      url: event.url,
      method: event.method,
      headers: deliveryHeaders({
        messagePrefix,
        userAgent,
        messageId: id,
        retried: attempt,
        signature: this.signatureOf(published, sent),
        callerIp: event.callerIp,
        scheduleId: event.scheduleId,
        topicName: event.topicName,
        contentType: event.contentType,
        run: event.run === null ? [] : runHeaders(event.run, messagePrefix),
        forwarded,
      }),
      body: sent,
      timeoutMs: Math.min(event.timeoutMs ?? timeoutMs, timeoutMs),
      captureBytes: capturedBytesMax(event, answerLimits(this.config)),
    };
  }

  private signatureOf({ event: { dialect, url } }: Published, body: Buffer | null): string {
    const now = this.clock.now();
    const { issuer } = dialects[dialect];
    return this.keyring.sign({ issuer, url, body, now, id: this.identifiers.turnSeed(now) });
  }
}
