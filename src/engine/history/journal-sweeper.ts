/**
 * Shortens the journal: what has ended and is older than retention goes, unless something needs it
 * (ADR 35). One sweep at a time, in the background.
 */
import type { Engine } from '../engine.js';
import type { Journal, SweepReport } from '../journal.js';
import type { Crossings } from './crossings.js';
import type { JournalSweeps } from './journal-sweeps.js';
import { Mark } from './mark.js';
import { worthASweep } from './sweep-worth.js';

/** The server stops: a sweep that is under way ends. What it has done until then stays done. */
export class SweepStopped extends Error {
  override readonly name = 'SweepStopped';
}

/** Readers that must not use the journal below an edge during a sweep, nor an older reading. */
export interface SweepGuard {
  /** Settles when nothing does. */
  sweepBegins(edge: number): Promise<void>;
  sweepEnded(): void;
}

/** Several, in their order. */
export function guards(all: readonly SweepGuard[]): SweepGuard {
  return {
    async sweepBegins(edge) {
      for (const guard of all) await guard.sweepBegins(edge);
    },
    sweepEnded() {
      for (const guard of all) guard.sweepEnded();
    },
  };
}

/** What a sweep is worth, and what becomes of segments that it takes something out of. */
export interface SweepRules {
  /**
   * So many bytes have to lie in segments that no sweep has seen for one to be worth it, and more
   * where earlier ones have kept much (`worthASweep`).
   */
  readonly bytesMin: number;
  /** Segments are copied there before anything is taken out of them; null = they are not. */
  readonly archiveFolder: string | null;
}

/** How often indexes forget expired entries where no sweep is worth its cost. */
const forgetEveryMs = 86_400_000;

const noGuard: SweepGuard = { sweepBegins: async () => undefined, sweepEnded: () => undefined };

export class JournalSweeper {
  guard = noGuard;
  private isStopped = false;
  private underWay: Promise<unknown> = Promise.resolve();
  /** Where the last sweep of this process ended: what lies across earlier edges is forgotten. */
  private lastEdge = 0;
  private forgottenAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly engine: Engine,
    private readonly journal: Journal,
    private readonly crossings: Crossings,
    private readonly sweeps: JournalSweeps,
    private readonly rules: SweepRules,
  ) {}

  /**
   * Removes what happened before `before`, Unix milliseconds, and is not needed at `at`; null = a
   * sweep is not worth it yet. Rejects with `SweepStopped`, or as the log does.
   */
  async sweep(before: number, at: number): Promise<SweepReport | null> {
    this.check();
    const sweeping = this.sweepTo(before, at);
    this.underWay = sweeping.catch(() => undefined);
    return sweeping;
  }

  /** Settles when no sweep is under way. */
  get ended(): Promise<unknown> {
    return this.underWay;
  }

  /** No sweep begins after this, and one that is under way ends soon. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.underWay;
  }

  private async sweepTo(before: number, at: number): Promise<SweepReport | null> {
    const { engine, journal, crossings } = this;
    const edge = Math.max(this.lastEdge, crossings.edgeAt(await journal.offsetFor(before)));
    if (!this.isWorthIt(edge)) {
      await this.forget(at);
      return null;
    }
    const mark = new Mark(engine, journal, crossings, edge, this.sealedUntil(edge));
    await mark.make(at, this.check);
    const keeps = (offset: number) => {
      this.check();
      return mark.keeps(offset);
    };
    const from = this.sweeps.edge;
    let hasBegun = false;
    const settled = async () => {
      this.check();
      // Everything is archived by now.
      if (!hasBegun) await this.sweeps.begin(edge, at);
      hasBegun = true;
      await engine.durable();
    };
    const { archiveFolder: folder } = this.rules;
    const archive = folder === null ? undefined : { folder, from };
    const outcome = await this.guarded(edge, () => journal.sweep(edge, keeps, settled, archive));
    await this.sweeps.record(outcome, at);
    crossings.forgetBefore(edge);
    this.lastEdge = edge;
    return outcome;
  }

  /** A sweep that begins, at the edge of the last one, and removes nothing. */
  private async forget(at: number): Promise<void> {
    if (at - this.forgottenAt < forgetEveryMs) return;
    this.forgottenAt = at;
    if (this.sweeps.holdsOver(at)) await this.sweeps.begin(this.sweeps.edge, at);
  }

  private async guarded<Result>(edge: number, sweep: () => Promise<Result>): Promise<Result> {
    try {
      await this.guard.sweepBegins(edge);
      this.check();
      return await sweep();
    } finally {
      this.guard.sweepEnded();
    }
  }

  /** Where the last segment ends that is sealed and lies below `edge` as a whole. */
  private sealedUntil(edge: number): number {
    const isSwept = ({ isSealed, nextOffset }: Journal['segments'][number]) =>
      isSealed && nextOffset <= edge;
    return this.journal.segments.findLast(isSwept)?.nextOffset ?? 0;
  }

  private isWorthIt(edge: number): boolean {
    let [all, seen, unseen] = [0, 0, 0];
    for (const { isSealed, nextOffset, byteLength } of this.journal.segments) {
      all += byteLength;
      if (!isSealed || nextOffset > edge) continue;
      if (nextOffset <= this.sweeps.until) seen += byteLength;
      else unseen += byteLength;
    }
    return unseen > 0 && unseen >= Math.max(this.rules.bytesMin, worthASweep(all, seen));
  }

  private readonly check = () => {
    if (this.isStopped) throw new SweepStopped('the server stops');
  };
}
