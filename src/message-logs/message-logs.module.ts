/** Wiring of the message logs: they decide nothing and remember nothing. */
import { Module } from '@nestjs/common';
import type { Config } from '../config.js';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import { Journal } from '../engine/journal.js';
import { EndpointCalls } from '../messages/message.effects.js';
import { messageKind } from '../messages/message.events.js';
import { MessageBodies } from '../messages/message-bodies.js';
import { MessagesModule } from '../messages/messages.module.js';
import { provided } from '../ports.js';
import type { RunningAttempt } from './log-walk.js';
import { MessageLog } from './message-log.js';
import { MessageLogsController } from './message-logs.controller.js';

/** Some tens of milliseconds of work; on a machine that is busy no caller waits longer. */
const budget = { events: 20_000, milliseconds: 1000 };

@Module({
  imports: [MessagesModule],
  controllers: [MessageLogsController],
  providers: [
    {
      provide: MessageLog,
      inject: [Engine, Journal, MessageBodies, EndpointCalls, provided.clock, provided.config],
      useFactory: messageLog,
    },
  ],
})
export class MessageLogsModule {}

function messageLog(
  engine: Engine,
  journal: Journal,
  bodies: MessageBodies,
  calls: EndpointCalls,
  clock: Clock,
  { logRetentionMs, timeoutMs }: Config,
): MessageLog {
  const publishedOffset = (id: string) => engine.actors(messageKind).find(id)?.firstOffset;
  return new MessageLog({
    journal,
    durable: () => engine.durable(),
    running: () => [...running(calls, publishedOffset)],
    messages: { journal, publishedOffset, body: (published) => bodies.readOwn(published) },
    clock,
    retentionMs: logRetentionMs,
    attemptMsMax: timeoutMs,
    budget,
  });
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
