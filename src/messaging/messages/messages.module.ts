/** Wiring of messages: every feature of messaging and of the wings above follows them. */
import { Module } from '@nestjs/common';
import { Messages } from './message.entity.js';

@Module({ providers: [Messages], exports: [Messages] })
export class MessagesModule {}
