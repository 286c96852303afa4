/** Wiring of the scrub, which reads what is sealed before it is needed. */
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Disk } from '../../../storage/disk/disk.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';
import { readingOptions } from '../lifecycle/reading-options.js';
import { ScrubMetrics } from './scrub.metrics.js';
import { Scrubber } from './scrubber.js';

/** A stop waits this long for the read that is under way. */
const stopDeadlineMs = 5000;

@Module({
  providers: [
    {
      provide: Scrubber,
      inject: [
        provided.config,
        provided.disk,
        provided.clock,
        provided.identifiers,
        provided.isolatesDamage,
        provided.log,
        Registry,
        ProcessLife,
      ],
      useFactory: scrubberOf,
    },
  ],
})
export class ScrubModule implements OnModuleInit {
  constructor(
    private readonly scrubber: Scrubber,
    private readonly life: ProcessLife,
    @Inject(provided.config) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    if (this.config.scrubBytesPerSecond === 0) return;
    this.life.addRecoverable({ name: 'scrub', recover: async () => this.scrubber.start() });
    this.life.addStoppable({
      name: 'scrub',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.scrubber.stop(),
    });
  }
}

function scrubberOf(
  { dataDirectory, scrubBytesPerSecond }: Config,
  disk: Disk,
  clock: Clock,
  identifiers: Identifiers,
  isolatesDamage: (logName: string) => boolean,
  log: Logger,
  registry: Registry,
  life: ProcessLife,
): Scrubber {
  const options = readingOptions(clock, identifiers, isolatesDamage);
  const random = () => identifiers.randomBytes(4).readUInt32LE(0) / 2 ** 32;
  const metrics = new ScrubMetrics(registry);
  const rate = Math.max(1, scrubBytesPerSecond);
  return new Scrubber(disk, dataDirectory, rate, options, clock, life, metrics, log, random);
}
