/** One reading call of a consumer instance: finds records for it, or waits until there are some. */
import { DamagedOffsets } from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import type { TopicPartition } from '../groups/topic-partition.js';
import type { PayloadEncoding } from '../records/payload-encoding.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import type { OwnedPartition } from '../sessions/positions.js';
import type { StartPositions } from '../sessions/start-positions.js';
import type { TopicAccess } from '../topics/topic-access.js';

/** How much one call may take and how long it may wait. */
export interface PollTerms {
  /** Unix milliseconds. */
  readonly until: number;
  readonly maxRecords: number;
  /** Bytes of keys and values; one record is always given. */
  readonly maxBytes: number;
  /** A longer record is not read: `needsRoom` tells of it. */
  readonly oneBytesMax?: number;
  readonly encoding: PayloadEncoding;
  /**
   * Whether the caller may have what the instance reads now: another call may have subscribed it to
   * other topics meanwhile, and its credential may be gone.
   */
  readonly mayRead: () => boolean;
}

/** What one partition may give. */
interface Share {
  readonly records: number;
  /** Of keys and values. */
  readonly bytes: number;
}

/** What was read of one partition; it counts only if it is still owned, and no seek moved it. */
export interface PolledPart {
  readonly own: OwnedPartition;
  readonly from: number;
  /** Where reading goes on after it. */
  readonly next: number;
  readonly records: readonly LogRecord[];
}

/** What a poll came to; `undecided` are partitions of which it is not known where to begin. */
export type Polled =
  | {
      readonly parts: readonly PolledPart[];
      /** There are none, because the first one is longer than `oneBytesMax`. */
      readonly needsRoom: boolean;
      /** `maxBytes` has kept back what is there. */
      readonly isCut: boolean;
    }
  | { readonly undecided: readonly TopicPartition[] };

/** What polls work with. */
export interface PollContext {
  readonly starts: StartPositions;
  readonly topics: Pick<TopicAccess, 'logs' | 'read'>;
  readonly clock: Clock;
}

export class Poll {
  private isOver = false;
  private isLongNext = false;
  private isCut = false;

  constructor(
    private readonly context: PollContext,
    private readonly session: ConsumerSession,
    private readonly terms: PollTerms,
  ) {}

  /** The client waits for no answer any more: nothing is handed out from now on. */
  cancel(): void {
    this.isOver = true;
    this.session.wake();
  }

  /**
   * Records of what the session owns, handed out in its positions; none at the end of the time,
   * when the session ends, when the caller may not read any more, or when a rebalance left it
   * without any at once. Rejects with `DamagedOffsets` where there is nothing else to give.
   */
  async run(): Promise<Polled> {
    const { session, context, terms } = this;
    const nothing: Polled = { parts: [], needsRoom: false, isCut: false };
    for (let isLast = false; ; ) {
      const { changes } = session;
      const undecided = await context.starts.resolve(session);
      if (this.hasEnded) return nothing;
      if (undecided.length > 0) return { undecided };
      const read = await this.read();
      if (this.hasEnded) return nothing;
      const parts = handOut(session, read);
      const needsRoom = parts.length === 0 && this.isLongNext;
      if (parts.length > 0 || needsRoom) return { parts, needsRoom, isCut: this.isCut };
      if (isLast || context.clock.now() >= terms.until) return nothing;
      if (session.changes === changes) await this.wait();
      isLast = session.changes !== changes;
    }
  }

  private get hasEnded(): boolean {
    return this.isOver || this.session.isEnded || !this.terms.mayRead();
  }

  /** Settles when there is something to look at. */
  private wait(): Promise<void> {
    const { session, context, terms } = this;
    return new Promise((resolve) => {
      const wake = () => {
        for (const cancel of cancels) cancel();
        session.park(null);
        resolve();
      };
      const cancels: (() => void)[] = [];
      session.park(wake);
      for (const { log, position } of session.positions.all) {
        if (log !== null && position >= 0) cancels.push(log.whenBeyond(position, wake));
      }
      cancels.push(context.clock.after(Math.max(0, terms.until - context.clock.now()), wake));
    });
  }

  /**
   * Every partition that has something gets a fair share; what one leaves goes to the next. Damage
   * where one stands is told when the others have nothing to give: it keeps none of them waiting.
   */
  private async read(): Promise<readonly PolledPart[]> {
    const { positions } = this.session;
    const ready = positions
      .rotated()
      .filter(({ log, position }) => log !== null && position >= 0 && hasMore(log, position));
    const parts: PolledPart[] = [];
    let damage: DamagedOffsets | null = null;
    let { maxRecords, maxBytes } = this.terms;
    for (const [index, own] of ready.entries()) {
      if (maxRecords <= 0 || maxBytes <= 0) break;
      const left = ready.length - index;
      const share = { records: Math.ceil(maxRecords / left), bytes: Math.ceil(maxBytes / left) };
      const isFirst = parts.every(({ records }) => records.length === 0);
      const part = await this.readPart(own, share, isFirst);
      if (part instanceof DamagedOffsets) damage = part;
      if (part === null || part instanceof DamagedOffsets) continue;
      parts.push(part);
      maxRecords -= part.records.length;
      maxBytes -= bytesOf(part);
    }
    if (damage !== null && parts.every(({ records }) => records.length === 0)) throw damage;
    return parts;
  }

  /** Takes up to `share`; with `takesOne` one record, however long it is. Stops before damage. */
  private async readPart(
    own: OwnedPartition,
    share: Share,
    takesOne: boolean,
  ): Promise<PolledPart | DamagedOffsets | null> {
    const { log } = own;
    if (log === null) return null;
    // Trimmed away: reading begins anew as the reset policy says; without one it is undecided.
    const isInside = own.position >= log.startOffset;
    if (!isInside && !this.context.starts.reset(this.session, own, log)) return null;
    const from = own.position;
    const { oneBytesMax = Number.POSITIVE_INFINITY } = this.terms;
    const records: LogRecord[] = [];
    let bytes = 0;
    let next = from;
    for (let isFull = false; !isFull; ) {
      const batches = await this.batchesOf(own, log, next, share.records - records.length);
      if (batches instanceof DamagedOffsets) {
        return next === from ? batches : { own, from, next, records };
      }
      for (const batch of batches) {
        for (const record of batch.records()) {
          bytes += sizeOf(record);
          const isAlone = takesOne && records.length === 0;
          isFull = bytes > (isAlone ? Math.max(oneBytesMax, share.bytes) : share.bytes);
          this.isLongNext ||= isFull && isAlone;
          this.isCut ||= isFull;
          if (isFull) return { own, from, next, records };
          records.push(record);
          next = record.offset + 1;
        }
        next = batch.nextOffset;
      }
      this.isCut ||= bytes >= share.bytes;
      isFull = records.length >= share.records || bytes >= share.bytes || batches.length === 0;
    }
    return { own, from, next, records };
  }

  private async batchesOf(own: OwnedPartition, log: PartitionLog, from: number, records: number) {
    const { topics } = this.context;
    try {
      return await topics.read(log, { from, until: Number.POSITIVE_INFINITY, records });
    } catch (error) {
      if (error instanceof DamagedOffsets) return error;
      // Trimmed or dropped meanwhile: the next look sees that.
      const logs = await topics.logs(own.topic);
      if (logs?.[own.partition] !== log || from < log.startOffset) return [];
      throw error;
    }
  }
}

/** Gives out what is still owned, in order, and moves the positions beyond it. */
function handOut({ positions }: ConsumerSession, parts: readonly PolledPart[]): PolledPart[] {
  const given = parts.filter(({ own, from }) => positions.owns(own) && own.position === from);
  for (const { own, next } of given) own.position = next;
  return given.filter(({ records }) => records.length > 0);
}

function hasMore(log: PartitionLog, position: number): boolean {
  return position < log.startOffset || log.highWatermark > position;
}

function bytesOf({ records }: PolledPart): number {
  return records.reduce((sum, record) => sum + sizeOf(record), 0);
}

function sizeOf({ key, value }: LogRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}
