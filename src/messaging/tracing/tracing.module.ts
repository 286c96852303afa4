/** Wiring of traces: messages are observed if there is a collector. */
import { Module } from '@nestjs/common';
import { Messages } from '../messages/message.entity.js';
import { MessagesModule } from '../messages/messages.module.js';
import { MessagePlaces } from './message-places.js';
import { MessageTraces } from './message-traces.js';

/** Without a collector no message is observed. */
@Module({
  imports: [MessagesModule],
  providers: [MessagePlaces, MessageTraces],
  exports: [MessageTraces],
})
export class TracingModule {
  constructor(messages: Messages, traces: MessageTraces) {
    if (traces.isOn) messages.observe(traces.listener, traces.interest);
  }
}
