/** Wiring of messages. All other features of messaging, and those above it, follow messages. */
import { Module } from '@nestjs/common';
import { Messages } from './message.entity.js';
import { StoredMessages } from './stored-messages.js';

/** Imports nothing else of messaging: everything that follows messages is above this module. */
@Module({ providers: [Messages, StoredMessages], exports: [Messages, StoredMessages] })
export class MessagesModule {}
