/** Wiring of messages: every feature of messaging, and those above, follow them. */
import { Module } from '@nestjs/common';
import { Messages } from './message.entity.js';
import { StoredMessages } from './stored-messages.js';

/** Imports nothing of messaging: what follows messages stands above it. */
@Module({ providers: [Messages, StoredMessages], exports: [Messages, StoredMessages] })
export class MessagesModule {}
