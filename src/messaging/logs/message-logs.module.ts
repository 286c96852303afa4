/** Wiring of the log of messages: it decides nothing and remembers nothing. */
import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { MessageLogCounts } from './log-counts.js';
import { logSource, MessageLog } from './message-log.js';
import { MessageLogsController } from './message-logs.controller.js';
import { ServerLogSource } from './server-log-source.js';

/** Exports the source that the logs of runs use as well. */
@Module({
  imports: [DeliveryModule, MessagesModule],
  controllers: [MessageLogsController],
  providers: [MessageLog, MessageLogCounts, { provide: logSource, useClass: ServerLogSource }],
  exports: [logSource],
})
export class MessageLogsModule {}
