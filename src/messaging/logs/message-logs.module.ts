/** Wiring of the logs of messages and runs: they decide nothing and remember nothing. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Journal } from '../../engine/journal.js';
import type { Config } from '../../server/configuration/config.js';
import { provided } from '../../server/ports.js';
import { RunEntries } from '../../workflows/deliveries/run-entries.js';
import { RunEntriesModule } from '../../workflows/deliveries/run-entries.module.js';
import { RunList } from '../../workflows/logs/run-list.js';
import { RunLog, type RunLogDesk } from '../../workflows/logs/run-log.js';
import { RunLogsController } from '../../workflows/logs/run-logs.controller.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import { MessagesModule } from '../delivery/messages.module.js';
import { messageKind } from '../messages/message.events.js';
import { MessageBodies } from '../messages/message-bodies.js';
import type { RunningAttempt } from './log-walk.js';
import { MessageLog, type MessageLogDesk } from './message-log.js';
import { MessageLogsController } from './message-logs.controller.js';

/** Some tens of milliseconds of work; on a machine that is busy no caller waits longer. */
const budget = { events: 20_000, milliseconds: 1000 };

/** What all logs are made of. */
const desk = Symbol('desk of the logs');

@Module({
  imports: [MessagesModule, RunEntriesModule],
  controllers: [MessageLogsController, RunLogsController],
  providers: [
    {
      provide: desk,
      inject: [
        Engine,
        Journal,
        MessageBodies,
        RunEntries,
        EndpointCalls,
        provided.clock,
        provided.config,
      ],
      useFactory: deskOf,
    },
    { provide: MessageLog, inject: [desk], useFactory: (of: MessageLogDesk) => new MessageLog(of) },
    { provide: RunLog, inject: [desk], useFactory: (of: RunLogDesk) => new RunLog(of) },
    { provide: RunList, inject: [desk], useFactory: (of: RunLogDesk) => new RunList(of) },
  ],
})
export class MessageLogsModule {}

function deskOf(
  engine: Engine,
  journal: Journal,
  bodies: MessageBodies,
  entries: RunEntries,
  calls: EndpointCalls,
  clock: Clock,
  { logRetentionMs, timeoutMs }: Config,
): RunLogDesk {
  const publishedOffset = (id: string) => engine.actors(messageKind).find(id)?.firstOffset;
  return {
    journal,
    durable: () => engine.durable(),
    running: () => [...running(calls, publishedOffset)],
    messages: { journal, publishedOffset, body: (published) => bodies.readOwn(published) },
    entryBody: (offset) => entries.bodyAt(offset),
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
