/** Wiring of runs: every feature of workflows follows them. */
import { Module } from '@nestjs/common';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { Runs } from './run.entity.js';

/** Imports messages alone: what follows runs stands above it. */
@Module({ imports: [MessagesModule], providers: [Runs], exports: [Runs] })
export class RunsModule {}
