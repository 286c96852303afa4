/** Reads all that is sealed, slowly, again and again, and says what does not read back. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { PacedDisk } from '../../../storage/disk/paced-disk.js';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { StoreOptions } from '../../../storage/store.js';
import { scrub } from '../../../storage/verify/scrub.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';
import { ScrubMetrics } from './scrub.metrics.js';

/** The first pass begins when a start is long over, and the next one a week after it began. */
const firstPassMs = 60_000;
const passEveryMs = 7 * 86_400_000;

/** It repairs nothing: damage is logged once, counted, and a warning of the server's status. */
@Injectable()
export class Scrubber {
  private readonly paced: PacedDisk;
  /** By file: what was said of it. It is said once, until the file is intact or gone. */
  private damages = new Map<string, string>();
  private isStopped = false;
  private cancel: () => void = () => undefined;
  private underWay: Promise<void> = Promise.resolve();

  constructor(
    private readonly life: ProcessLife,
    private readonly metrics: ScrubMetrics,
    @Inject(provided.config)
    private readonly config: Pick<Config, 'dataDirectory' | 'scrubBytesPerSecond'>,
    @Inject(provided.disk) disk: Disk,
    @Inject(provided.readingOptions) private readonly options: StoreOptions,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    this.paced = new PacedDisk(disk, Math.max(1, config.scrubBytesPerSecond), options.after);
  }

  /**
   * The first pass begins after `delayMs`; each later one an interval after the one before began.
   */
  start(delayMs: number = firstPassMs): void {
    if (this.isStopped) return;
    this.cancel = this.clock.after(delayMs, () => {
      const begunAt = this.clock.monotonic();
      this.underWay = this.pass().finally(() => {
        this.start(Math.max(firstPassMs, passEveryMs - (this.clock.monotonic() - begunAt)));
      });
    });
  }

  /** Settles when nothing is read any more. */
  stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    this.paced.stop(new LogClosed('the server stops'));
    return this.underWay;
  }

  /** Everything once; settles where something keeps it from that, which is tried again. */
  async pass(): Promise<void> {
    const found = new Map<string, string>();
    const { config, options, metrics, clock, identifiers } = this;
    // Where the pass begins: [0, 1).
    const random = identifiers.randomBytes(4).readUInt32LE(0) / 2 ** 32;
    const { disk } = this.paced;
    try {
      for await (const segment of scrub(disk, config.dataDirectory, options, random)) {
        metrics.read(segment.bytes);
        if (segment.damage === null) continue;
        const { message, range } = segment.damage;
        found.set(range.file, message);
        this.report(segment.log, range.file, message);
      }
      this.damages = found;
      this.show();
      metrics.ended(clock.now());
      this.log.info({ damaged: found.size }, 'the scrub has read everything that is sealed');
    } catch (error) {
      if (error instanceof LogClosed) return;
      this.log.error({ err: error }, 'the scrub could not read on; it will begin again');
    }
  }

  private report(log: string, file: string, message: string): void {
    if (this.damages.get(file) === message) return;
    this.damages.set(file, message);
    this.show();
    this.log.error({ log, file }, `the scrub found damage: ${message}`);
  }

  private show(): void {
    const { size } = this.damages;
    this.metrics.damaged(size);
    const text = `${size} sealed segments are damaged: run stepwell journal verify`;
    this.life.warn('damage', size === 0 ? null : text);
  }
}
