/** One reading call of a consumer instance: finds records for it, or waits until there are some. */
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { PayloadEncoding } from '../records/record-text.js';
import type { TopicPartition } from '../records/topic-partition.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import { StartPositions } from '../sessions/start-positions.js';
import { type PartitionRead, type ReadTerms, ShareReads } from './share-reads.js';

/** How much one call may take and how long it may wait. */
export interface PollTerms extends ReadTerms {
  /** By the monotonic clock: a wait is no longer where the wall clock is set back. */
  readonly until: number;
  readonly encoding: PayloadEncoding;
  /**
   * Whether the caller may have what the instance reads now: another call may have subscribed it to
   * other topics meanwhile, and its credential may be gone.
   */
  readonly mayRead: () => boolean;
}

/** What a poll came to; `undecided` are partitions of which it is not known where to begin. */
export type Polled =
  | {
      readonly parts: readonly PartitionRead[];
      /** There are none, because the first one is longer than `oneBytesMax`. */
      readonly isLongNext: boolean;
      /** `maxBytes` has kept back what is there. */
      readonly isCut: boolean;
    }
  | { readonly undecided: readonly TopicPartition[] };

const nothing: Polled = { parts: [], isLongNext: false, isCut: false };

/** Makes the polls of all calls. */
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
 * Made for one request, by `Polls`. Nothing is locked: it acts on what the session owns at the
 * time.
 */
export class Poll {
  private isOver = false;
  /** Nothing comes to them any more: they are dropped with their topic. */
  private readonly stopped = new Set<PartitionLog>();

  constructor(
    private readonly starts: StartPositions,
    private readonly reads: ShareReads,
    private readonly clock: Clock,
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
      // A read that finds a position trimmed away, and the policy `none`, has lost it.
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

  /** Settles when there is something to look at. */
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
          // It would wake at once, again and again, until a rebalance has taken it away.
          if (log.highWatermark <= position) this.stopped.add(log);
          wake();
        };
        cancels.push(log.whenBeyond(position, look));
      }
      cancels.push(clock.after(Math.max(0, terms.until - clock.monotonic()), wake));
    });
  }
}

/** Gives out what is still owned, in order, and moves the positions beyond it. */
function handOut({ positions }: ConsumerSession, parts: readonly PartitionRead[]): PartitionRead[] {
  const given = parts.filter(({ own, from }) => positions.owns(own) && own.position === from);
  for (const { own, next } of given) own.position = next;
  return given.filter(({ records }) => records.length > 0);
}
