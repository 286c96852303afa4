/**
 * Decides whether new work is accepted. Refusing it early keeps a full or slow disk from affecting
 * the journal; accepted work continues to be delivered.
 */
import type { Clock } from '../engine/clock.js';
import type { ProcessLife } from '../engine/lifecycle/process-life.js';
import { Refusal } from '../grammar/result.js';
import { diskFullRefusal } from './error-shapes.js';

/** Limit for the bytes of bodies that wait for the disk; above it, new work is refused for now. */
const waitingBytesMax = 256 * 1024 * 1024;

/** How often free space is checked, which is as often as the store checks it. */
const checkAgainMs = 1000;

const diskFull = diskFullRefusal(
  'the disk is nearly full (less than 1 GiB or 5 % is free, or too few inodes are): ' +
    'new work is refused until there is room again',
);
const tooMuchWaiting: Refusal = new Refusal(
  'unavailable',
  'too much is waiting for the disk; try again',
  { 'retry-after': '1' },
);

const sharedLogBehind: Refusal = new Refusal(
  'unavailable',
  'the log that nodes share lags behind; try again',
  { 'retry-after': '2' },
);

/** A log that this node shares with others, and that may be slow or unreachable. */
export interface SharedLog {
  /** Whether new work would only wait, given that this many bytes are to be committed. */
  isBehind(bytes: number): boolean;
}

/**
 * One instance per server; called before a body becomes commands. Refusals are 507 for the disk
 * (ADR 13), else 503: the client may send the same again.
 */
export class Intake {
  private waitingBytes = 0;

  /** `disk` says whether enough space is free (ADR 13), `sharedLog` whether it lags. */
  constructor(
    private readonly disk: { readonly hasRoom: boolean },
    private readonly sharedLog: SharedLog | null = null,
  ) {}

  /** Why `bytes` of new work are refused; null = they are accepted and count until `done`. */
  take(bytes: number): Refusal | null {
    const refusal = this.refusalOf(bytes);
    if (refusal === null) this.waitingBytes += bytes;
    return refusal;
  }

  /** Why work without a body is refused now; null = it is accepted. */
  get refusal(): Refusal | null {
    return this.refusalOf(0);
  }

  private refusalOf(bytes: number): Refusal | null {
    if (!this.disk.hasRoom) return diskFull;
    if (this.sharedLog?.isBehind(this.waitingBytes + bytes) === true) return sharedLogBehind;
    const isTooMuch = this.waitingBytes + bytes > waitingBytesMax && this.waitingBytes > 0;
    return isTooMuch ? tooMuchWaiting : null;
  }

  /** Keeps `life` informed whether writes are accepted; `stop` ends the checks. */
  report(life: ProcessLife, clock: Clock): { stop: () => void } {
    let hadRoom = true;
    let cancel: () => void = () => undefined;
    const look = () => {
      const { hasRoom } = this.disk;
      if (hasRoom !== hadRoom) {
        if (hasRoom) life.acceptWrites();
        else life.refuseWrites(diskFull.message);
      }
      hadRoom = hasRoom;
      cancel = clock.after(checkAgainMs, look);
    };
    look();
    return { stop: () => cancel() };
  }

  /** The bytes are on disk, or were refused. */
  done(bytes: number): void {
    this.waitingBytes -= bytes;
  }
}
