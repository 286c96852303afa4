/** Reads all sealed data, slowly and repeatedly, and reports what is unreadable. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { PacedDisk } from '../../../storage/disk/paced-disk.js';
import { type DamagedData, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { StoreOptions } from '../../../storage/store.js';
import { type ScrubbedSegment, scrub, segmentFiles } from '../../../storage/verify/scrub.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';
import { ScrubMetrics } from './scrub.metrics.js';

/**
 * The first pass begins well after the start, and each next one a week after the previous one
 * began.
 */
const firstPassMs = 60_000;
const passEveryMs = 7 * 86_400_000;
/** A pass that could not continue starts again after this time. */
const againMs = 3_600_000;

/**
 * How often to check whether damaged segments are gone: a purge or the retention may remove them.
 */
const letGoEveryMs = 60_000;

/**
 * Repairs nothing: damage is logged once, counted, and shown as a warning in the server's status.
 */
@Injectable()
export class Scrubber {
  private readonly paced: PacedDisk;
  /** The reported damage by segment. It is reported once, until the segment is intact or gone. */
  private damages = new Map<string, string>();
  private isStopped = false;
  private cancel: () => void = () => undefined;
  private underWay: Promise<void> = Promise.resolve();
  private cancelLook: (() => void) | null = null;
  private looking: Promise<void> = Promise.resolve();

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
   * The first pass begins after `delayMs`; each later one a week after the previous one began, or
   * an hour after one that could not continue.
   */
  start(delayMs: number = firstPassMs): void {
    if (this.isStopped) return;
    this.cancel = this.clock.after(delayMs, () => {
      const begunAt = this.clock.monotonic();
      this.underWay = this.pass().then((isWhole) => {
        const tookMs = this.clock.monotonic() - begunAt;
        this.start(isWhole ? Math.max(firstPassMs, passEveryMs - tookMs) : againMs);
      });
    });
  }

  /** Settles when nothing is being read. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    this.cancelLook?.();
    this.paced.stop(new LogClosed('the server stops'));
    await this.underWay;
    await this.looking;
  }

  /** Reads everything once; resolves to false if something prevents that, which is logged. */
  async pass(): Promise<boolean> {
    const found = new Map<string, string>();
    const { config, options, metrics, clock, identifiers } = this;
    // The random position where the pass begins: [0, 1).
    const random = identifiers.randomBytes(4).readUInt32LE(0) / 2 ** 32;
    const { disk } = this.paced;
    try {
      for await (const segment of scrub(disk, config.dataDirectory, options, random)) {
        metrics.read(segment.bytes);
        if (segment.damage === null) continue;
        found.set(segment.file, segment.damage.message);
        this.report(segment, segment.damage);
      }
      this.damages = found;
      await this.release();
      metrics.ended(clock.now());
      this.log.info({ damaged: found.size }, 'the scrub has read all sealed segments');
      return true;
    } catch (error) {
      if (error instanceof LogClosed) return false;
      this.log.error({ err: error }, 'the scrub failed; it will start again in an hour');
      return false;
    }
  }

  /** Stops reporting damaged segments that no longer exist. */
  async release(): Promise<void> {
    const { damages } = this;
    if (damages.size > 0) {
      const files = await segmentFiles(this.paced.disk, this.config.dataDirectory);
      for (const file of damages.keys()) if (!files.has(file)) damages.delete(file);
    }
    this.show();
  }

  private report({ log, file }: ScrubbedSegment, { message, range }: DamagedData): void {
    if (this.damages.get(file) === message) return;
    this.damages.set(file, message);
    this.show();
    this.log.error({ log, file: range.file }, `the scrub found damage: ${message}`);
    this.letGoLater();
  }

  private letGoLater(): void {
    if (this.isStopped || this.cancelLook !== null) return;
    this.cancelLook = this.clock.after(letGoEveryMs, () => {
      this.cancelLook = null;
      // A manifest that cannot be read now is read again a minute later.
      this.looking = this.release().catch(() => undefined);
      void this.looking.then(() => {
        if (this.damages.size > 0) this.letGoLater();
      });
    });
  }

  private show(): void {
    const { size } = this.damages;
    this.metrics.damaged(size);
    const text = `${size} sealed segments are damaged: run stepwell journal verify`;
    this.life.warn('damage', size === 0 ? null : text);
  }
}
