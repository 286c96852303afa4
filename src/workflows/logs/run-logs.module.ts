/** Wiring of the logs of runs: they decide nothing and remember nothing. */
import { Module } from '@nestjs/common';
import { logSource, type MessageLogSource } from '../../messaging/logs/message-log.js';
import { MessageLogsModule } from '../../messaging/logs/message-logs.module.js';
import { RunEntries } from '../deliveries/run-entries.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { RunList } from './run-list.js';
import { RunLog, type RunLogSource } from './run-log.js';
import { RunLogsController } from './run-logs.controller.js';

/** What the logs of runs are made of: that of messages, and what their steps delivered. */
function sourceOf(messages: MessageLogSource, entries: RunEntries): RunLogSource {
  return { ...messages, entryBody: (offset) => entries.bodyAt(offset) };
}

@Module({
  imports: [MessageLogsModule, RunEntriesModule],
  controllers: [RunLogsController],
  providers: [
    {
      provide: RunLog,
      inject: [logSource, RunEntries],
      useFactory: (messages: MessageLogSource, entries: RunEntries) =>
        new RunLog(sourceOf(messages, entries)),
    },
    {
      provide: RunList,
      inject: [logSource, RunEntries],
      useFactory: (messages: MessageLogSource, entries: RunEntries) =>
        new RunList(sourceOf(messages, entries)),
    },
  ],
})
export class RunLogsModule {}
