/** Wiring of the verbs of jobs for messages and dead letters. */
import { Module } from '@nestjs/common';
import { DeadLettersModule } from '../dead-letters/dead-letters.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { JobVerbs } from '../jobs/job-verbs.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { LetterJobs } from './letter-jobs.js';
import { MessageCancels } from './message-cancels.js';

/** Adds its verbs while modules are built. */
@Module({
  imports: [DeadLettersModule, DeliveryModule, JobsModule, MessagesModule],
  providers: [LetterJobs, MessageCancels],
})
export class MessageJobsModule {
  constructor(verbs: JobVerbs, letters: LetterJobs, cancels: MessageCancels) {
    verbs.add(...letters.verbs, ...cancels.verbs);
  }
}
