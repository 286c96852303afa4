/** Wiring of deliveries: carries out the attempts that messages want. */
import { Inject, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';
import { GatesModule } from '../gates/gates.module.js';
import { Messages } from '../messages/message.entity.js';
import { MessagesModule } from '../messages/messages.module.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { SigningKeysModule } from '../signing-keys/signing-keys.module.js';
import { TracingModule } from '../tracing/tracing.module.js';
import { AttemptMetrics } from './attempt.metrics.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { EndpointCalls } from './message.effects.js';
import { MessageContents } from './message-contents.js';
import { MessagesController } from './messages.controller.js';
import { PendingMessages } from './pending-messages.js';
import { Rescheduling } from './rescheduling.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** How long attempts in flight may continue after a stop; those cut then do not count (ADR 22). */
const drainMs = 10_000;

/** A stop gives attempts in flight 10 s to end. */
@Module({
  imports: [GatesModule, MessagesModule, SigningKeysModule, TracingModule],
  controllers: [MessagesController],
  providers: [
    AttemptMetrics,
    DeliveryAttempts,
    EndpointCalls,
    MessageContents,
    PendingMessages,
    Rescheduling,
    UnreadableMessages,
  ],
  exports: [EndpointCalls, MessageContents],
})
export class DeliveryModule {
  constructor(
    engine: Engine,
    messages: Messages,
    stored: StoredMessages,
    metrics: AttemptMetrics,
    calls: EndpointCalls,
    life: ProcessLife,
    registry: Registry,
    @Inject(provided.clock) clock: Clock,
  ) {
    messages.observe(stored.listener, stored.interest);
    messages.observe(metrics.listener, metrics.interest);
    engine.carry('callEndpoint', calls);
    const backlog = 'Messages that were accepted and are not final.';
    gauge(registry, 'stepwell_backlog_messages', backlog, () => messages.size);
    const oldest = 'How long the longest-waiting attempt has been due; 0 = none waits.';
    gauge(registry, 'stepwell_oldest_waiting_seconds', oldest, () => {
      const now = clock.now();
      return Math.max(0, now - (calls.longestDueAt ?? now)) / 1000;
    });
    life.addStoppable({
      name: 'attempts',
      phase: 'attempts',
      deadlineMs: drainMs + 2000,
      stop: () => calls.drain(drainMs),
    });
  }
}
