/** Wiring of the listings of waiting messages; it decides nothing and remembers nothing. */
import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { FlowControlModule } from '../flow-control/flow-control.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { QueuesModule } from '../queues/queues.module.js';
import { Pausing } from './pausing.js';
import { WaitingKeysController } from './waiting-keys.controller.js';
import { WaitingLines } from './waiting-lines.js';
import { WaitingQueuesController } from './waiting-queues.controller.js';

/** Above delivery, queues and flow control, which do not know each other's lines. */
@Module({
  imports: [DeliveryModule, FlowControlModule, MessagesModule, QueuesModule],
  controllers: [WaitingQueuesController, WaitingKeysController],
  providers: [Pausing, WaitingLines],
})
export class WaitingModule {}
