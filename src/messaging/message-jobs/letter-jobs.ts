/** The verbs of jobs for dead letters: retry and delete (messaging.md 13). */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { ok, type Result } from '../../grammar/result.js';
import { dialects, readMessageOptions } from '../../http/dialect.js';
import { readWritten } from '../../http/query-filters.js';
import { DeadLetters } from '../dead-letters/dead-letter.entity.js';
import { DeadLetterMatching } from '../dead-letters/dead-letter-matching.js';
import type { DeadLetter } from '../dead-letters/dead-letters.projection.js';
import { letterSelection } from '../dead-letters/dead-letters.request.js';
import { DeadLettersService } from '../dead-letters/dead-letters.service.js';
import { type RetryOverrides, readOverrides } from '../dead-letters/retry.request.js';
import {
  type JobItem,
  type JobSteps,
  type JobVerb,
  manyAtOnce,
  type WrittenJob,
} from '../jobs/job-verbs.js';
import { StoredMessages } from '../messages/stored-messages.js';
import type { MessagingSettings } from '../settings.js';
import { letterSteps } from './letter-steps.js';

const over = 'deadLetters';

/** Each letter is taken in one turn with the progress of the job: never twice, and never half. */
@Injectable()
export class LetterJobs {
  constructor(
    private readonly service: DeadLettersService,
    private readonly entity: DeadLetters,
    private readonly matching: DeadLetterMatching,
    private readonly stored: StoredMessages,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** For the table of verbs. */
  readonly verbs: readonly JobVerb[] = [
    {
      ...{ over, verb: 'retry', atOnce: manyAtOnce, takesRoom: true, takesOptions: true },
      read: (task) => {
        const overrides = this.overrides(task);
        return overrides.ok
          ? this.steps(task, (letter) => this.retry(letter, overrides.value))
          : overrides;
      },
    },
    {
      ...{ over, verb: 'delete', atOnce: manyAtOnce, takesRoom: false, takesOptions: false },
      read: (task) =>
        this.steps(task, ({ id }) => ({
          id,
          prepare: async () => ok(() => [this.service.deleting(id)]),
        })),
    },
  ];

  private steps(
    { filters }: WrittenJob,
    toItem: (letter: DeadLetter) => JobItem,
  ): Result<JobSteps> {
    const { clock, matching } = this;
    const searched = { letters: this.entity.letters, clock, matching };
    return letterSteps(searched, readWritten(filters, letterSelection), toItem);
  }

  private retry({ id, publishedOffset }: DeadLetter, overrides: RetryOverrides): JobItem {
    return {
      id,
      prepare: async () => {
        const original = await this.stored.published(publishedOffset);
        return ok(() => this.service.retrying(id, original, overrides));
      },
    };
  }

  private overrides({ options, at }: WrittenJob): Result<RetryOverrides> {
    const said = readMessageOptions(options, dialects[this.config.dialect]);
    return readOverrides(said, this.config, at);
  }
}
