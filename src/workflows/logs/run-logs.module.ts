/** Wiring of the logs of runs, which only read. */
import { Module } from '@nestjs/common';
import { MessageLogsModule } from '../../messaging/logs/message-logs.module.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { RunList } from './run-list.js';
import { RunLog } from './run-log.js';
import { RunLogsController } from './run-logs.controller.js';

/** Exports the rows, from which the streams of runs are made. */
@Module({
  imports: [MessageLogsModule, RunEntriesModule],
  controllers: [RunLogsController],
  providers: [RunLog, RunList],
  exports: [RunLog],
})
export class RunLogsModule {}
