/** Wiring of runs, on which every workflow feature builds. */
import { Module } from '@nestjs/common';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { Runs } from './run.entity.js';

/** Imports only messages: the features that follow runs are in higher layers. */
@Module({ imports: [MessagesModule], providers: [Runs], exports: [Runs] })
export class RunsModule {}
