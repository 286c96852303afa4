/** Wiring of the logs of runs: they decide nothing and remember nothing. */
import { Module } from '@nestjs/common';
import { MessageLogsModule } from '../../messaging/logs/message-logs.module.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { RunList } from './run-list.js';
import { RunLog } from './run-log.js';
import { RunLogsController } from './run-logs.controller.js';

/** It exports the rows, of which streams of runs are made. */
@Module({
  imports: [MessageLogsModule, RunEntriesModule],
  controllers: [RunLogsController],
  providers: [RunLog, RunList],
  exports: [RunLog],
})
export class RunLogsModule {}
