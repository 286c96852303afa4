/** One read by a consumer instance: finds records, or waits until there are some. */
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { PayloadEncoding } from '../records/record-text.js';
import type { TopicPartition } from '../records/topic-partition.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import { StartPositions } from '../sessions/start-positions.js';
import { type PartitionRead, type ReadTerms, ShareReads } from './share-reads.js';

/** How much one call may read and how long it may wait. */
export interface PollTerms extends ReadTerms {
  /** On the monotonic clock, so that a wait does not grow when the wall clock is set back. */
  readonly until: number;
  readonly encoding: PayloadEncoding;
  /**
   * Whether the caller may see what the instance reads now: meanwhile another call may have changed
   * its subscription, and the credential may have been deleted.
   */
  readonly mayRead: () => boolean;
}

/** The result of a poll; `undecided` are partitions whose start position is unknown. */
export type Polled =
  | {
      readonly parts: readonly PartitionRead[];
      /** There are no parts, because the first record is longer than `oneBytesMax`. */
      readonly isLongNext: boolean;
      /** More records exist, but `maxBytes` was reached. */
      readonly isCut: boolean;
    }
  | { readonly undecided: readonly TopicPartition[] };

const nothing: Polled = { parts: [], isLongNext: false, isCut: false };

/** Creates the polls of all calls. */
@Injectable()
export class Polls {
  constructor(
    private readonly starts: StartPositions,
    private readonly reads: ShareReads,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  of(session: ConsumerSession, terms: PollTerms): Poll {
    return new Poll(this.starts, this.reads, this.clock, session, terms);
  }
}

/**
 * Created by `Polls` for one request. Nothing is locked: it uses what the session owns at each
 * moment.
 */
export class Poll {
  private isOver = false;
  /** Logs that get no more records, because they are dropped with their topic. */
  private readonly stopped = new Set<PartitionLog>();

  constructor(
    private readonly starts: StartPositions,
    private readonly reads: ShareReads,
    private readonly clock: Clock,
    private readonly session: ConsumerSession,
    private readonly terms: PollTerms,
  ) {}

  /** Cancels the poll, because the client is gone: nothing is handed out from now on. */
  cancel(): void {
    this.isOver = true;
    this.session.wake();
  }

  /**
   * Records of the owned partitions, already handed out in the session's positions. Empty after the
   * timeout, when the session ends, when the caller may no longer read, or when there are no
   * records at once after a rebalance. Rejects with `DamagedOffsets` if there is nothing else to
   * return.
   */
  async run(): Promise<Polled> {
    const { session, terms } = this;
    for (let isLast = false; ; ) {
      const { changes } = session;
      const undecided = await this.starts.resolve(session);
      if (this.hasEnded) return nothing;
      if (undecided.length > 0) return { undecided };
      const read = await this.reads.read(session, terms);
      if (this.hasEnded) return nothing;
      const parts = handOut(session, read.parts);
      const isLongNext = parts.length === 0 && read.isLongNext;
      if (parts.length > 0 || isLongNext) return { parts, isLongNext, isCut: read.isCut };
      // A read that finds a trimmed position under the policy `none` makes that position unknown.
      const lost = await this.starts.resolve(session);
      if (this.hasEnded) return nothing;
      if (lost.length > 0) return { undecided: lost };
      if (isLast || this.clock.monotonic() >= terms.until) return nothing;
      if (session.changes === changes) await this.wait();
      isLast = session.changes !== changes;
    }
  }

  private get hasEnded(): boolean {
    return this.isOver || this.session.isEnded || !this.terms.mayRead();
  }

  /** Resolves when there may be something to read. */
  private wait(): Promise<void> {
    const { session, clock, terms } = this;
    return new Promise((resolve) => {
      const wake = () => {
        for (const cancel of cancels) cancel();
        session.park(null);
        resolve();
      };
      const cancels: (() => void)[] = [];
      session.park(wake);
      for (const { log, position } of session.positions.all) {
        if (log === null || position < 0 || this.stopped.has(log)) continue;
        const look = () => {
          // Such a log would wake the poll at once, again and again, until a rebalance removes it.
          if (log.highWatermark <= position) this.stopped.add(log);
          wake();
        };
        cancels.push(log.whenBeyond(position, look));
      }
      cancels.push(clock.after(Math.max(0, terms.until - clock.monotonic()), wake));
    });
  }
}

/** Hands out the records of partitions that are still owned, and moves their positions. */
function handOut({ positions }: ConsumerSession, parts: readonly PartitionRead[]): PartitionRead[] {
  const given = parts.filter(({ own, from }) => positions.owns(own) && own.position === from);
  for (const { own, next } of given) own.position = next;
  return given.filter(({ records }) => records.length > 0);
}
