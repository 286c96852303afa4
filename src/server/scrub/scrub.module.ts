/** Wiring of the scrub, which reads sealed data before it is needed. */
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Cluster } from '../cluster/cluster.js';
import type { Config } from '../configuration/config.js';
import { ScrubMetrics } from './scrub.metrics.js';
import { Scrubber } from './scrubber.js';

/** How long a stop waits for the read in progress. */
const stopDeadlineMs = 5000;

/** Does nothing if `STEPWELL_SCRUB_RATE` is `off`. */
@Module({
  providers: [ScrubMetrics, Scrubber],
})
export class ScrubModule implements OnModuleInit {
  constructor(
    private readonly scrubber: Scrubber,
    private readonly life: ProcessLife,
    @Inject(provided.config) private readonly config: Config,
    @Inject(provided.cluster) private readonly cluster: Cluster | null,
  ) {}

  onModuleInit(): void {
    if (this.config.scrubBytesPerSecond === 0) return;
    const begin = () => this.scrubber.start();
    // The start of a follower ends only when it takes over; damage should be found before that.
    if (this.cluster !== null) void this.cluster.following.then(begin);
    else this.life.addRecoverable({ name: 'scrub', recover: async () => begin() });
    this.life.addStoppable({
      name: 'scrub',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.scrubber.stop(),
    });
  }
}
