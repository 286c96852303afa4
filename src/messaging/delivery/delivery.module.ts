/** Wiring of deliveries: how the attempts that messages want are carried out. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { Gates } from '../gates/gates.js';
import { Messages } from '../messages/message.entity.js';
import { MessageBodies } from '../messages/message-bodies.js';
import { MessagesModule } from '../messages/messages.module.js';
import { DeliveryOrder, RunDeliveries } from '../messages/run-deliveries.js';
import type { Endpoints } from '../outbound/endpoints.js';
import type { MessagingSettings } from '../settings.js';
import { Keyring } from '../signing-keys/keyring.js';
import { SigningKeysModule } from '../signing-keys/signing-keys.module.js';
import { AttemptMetrics } from './attempt.metrics.js';
import { EndpointCalls } from './message.effects.js';
import { messageListener } from './message.listener.js';
import { MessagesController } from './messages.controller.js';
import { PendingMessages } from './pending-messages.js';

/** Attempts in flight may end for this long after a stop; cut ones do not count (ADR 22). */
const drainMs = 10_000;

@Module({
  imports: [SigningKeysModule, MessagesModule],
  controllers: [MessagesController],
  providers: [
    {
      provide: MessageBodies,
      inject: [Payloads, RunDeliveries],
      useFactory: (payloads: Payloads, runs: RunDeliveries) => new MessageBodies(payloads, runs),
    },
    {
      provide: PendingMessages,
      inject: [Engine, Journal, Payloads, provided.clock],
      useFactory: (engine: Engine, journal: Journal, payloads: Payloads, clock: Clock) =>
        new PendingMessages(engine, journal, payloads, clock),
    },
    {
      provide: EndpointCalls,
      inject: [
        Engine,
        Messages,
        Payloads,
        MessageBodies,
        RunDeliveries,
        DeliveryOrder,
        Gates,
        provided.endpoints,
        Keyring,
        ProcessLife,
        Registry,
        provided.config,
        provided.clock,
        provided.identifiers,
      ],
      useFactory: endpointCalls,
    },
  ],
  exports: [EndpointCalls, MessageBodies],
})
export class DeliveryModule {}

function endpointCalls(
  engine: Engine,
  messages: Messages,
  payloads: Payloads,
  bodies: MessageBodies,
  runs: RunDeliveries,
  order: DeliveryOrder,
  gates: Gates,
  endpoints: Endpoints,
  keyring: Keyring,
  life: ProcessLife,
  registry: Registry,
  { timeoutMs, maxBodyBytes, answerBytesMax }: MessagingSettings,
  clock: Clock,
  identifiers: Identifiers,
): EndpointCalls {
  messages.observe(messageListener(payloads, new AttemptMetrics(registry)));
  const backlog = 'Messages accepted and not final.';
  gauge(registry, 'stepwell_backlog_messages', backlog, () => messages.size);
  const calls = new EndpointCalls({
    engine,
    payloads,
    bodies,
    runs,
    order,
    gates,
    endpoints,
    sign: (delivery) => keyring.sign(delivery),
    clock,
    identifiers,
    timeoutMs,
    answerLimits: {
      lastBytesMax: answerBytesMax,
      callBytesMax: Math.max(maxBodyBytes, answerBytesMax),
    },
  });
  engine.carry('callEndpoint', calls);
  life.addStoppable({
    name: 'attempts',
    phase: 'attempts',
    deadlineMs: drainMs + 2000,
    stop: () => calls.drain(drainMs),
  });
  return calls;
}
