/** Wiring of the log of messages: it decides nothing and remembers nothing. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import { MessageBodies } from '../delivery/message-bodies.js';
import { messageKind } from '../messages/message.events.js';
import type { MessagingSettings } from '../settings.js';
import type { RunningAttempt } from './log-walk.js';
import { MessageLog, type MessageLogSource } from './message-log.js';
import { MessageLogsController } from './message-logs.controller.js';

/** Some tens of milliseconds of work; on a machine that is busy no caller waits longer. */
const budget = { events: 20_000, milliseconds: 1000 };

/** What all logs are made of: a `MessageLogSource`. */
export const logSource = Symbol('logSource');

@Module({
  imports: [DeliveryModule],
  controllers: [MessageLogsController],
  providers: [
    {
      provide: logSource,
      inject: [Engine, Journal, MessageBodies, EndpointCalls, provided.clock, provided.config],
      useFactory: deskOf,
    },
    {
      provide: MessageLog,
      inject: [logSource],
      useFactory: (of: MessageLogSource) => new MessageLog(of),
    },
  ],
  exports: [logSource],
})
export class MessageLogsModule {}

function deskOf(
  engine: Engine,
  journal: Journal,
  bodies: MessageBodies,
  calls: EndpointCalls,
  clock: Clock,
  { logRetentionMs, timeoutMs }: MessagingSettings,
): MessageLogSource {
  const publishedOffset = (id: string) => engine.actors(messageKind).find(id)?.firstOffset;
  return {
    journal,
    durable: () => engine.durable(),
    running: () => [...running(calls, publishedOffset)],
    messages: { journal, publishedOffset, body: (published) => bodies.readOwn(published) },
    clock,
    retentionMs: logRetentionMs,
    attemptMsMax: timeoutMs,
    budget,
  };
}

/** An attempt whose message is final already (taken back meanwhile) will never be recorded. */
function* running(
  calls: EndpointCalls,
  publishedOffset: (id: string) => number | undefined,
): Generator<RunningAttempt> {
  for (const { messageId, startedAt } of calls.running()) {
    const offset = publishedOffset(messageId);
    if (offset !== undefined) yield { messageId, startedAt, publishedOffset: offset };
  }
}
