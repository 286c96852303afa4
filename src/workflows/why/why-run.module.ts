/** Wiring of the `why` answers for runs. */
import { Module } from '@nestjs/common';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { WhyMessageModule } from '../../messaging/why/why-message.module.js';
import { FailedRunsModule } from '../failed-runs/failed-runs.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { RunSituations } from './run-situations.js';
import { WhyRunController } from './why-run.controller.js';

/** Builds on `why` of messages, from which most answers are composed. */
@Module({
  imports: [FailedRunsModule, MessagesModule, RunsModule, WhyMessageModule],
  controllers: [WhyRunController],
  providers: [RunSituations],
})
export class WhyRunModule {}
