/**
 * Shortens the journal: what has ended and is older than retention goes, unless something needs it
 * (ADR 35). One sweep at a time, in the background.
 */
import type { Engine } from '../engine.js';
import type { ArchiveOptions, Journal, SweepReport } from '../journal.js';
import type { Crossings } from './crossings.js';
import type { SweepRange } from './journal-sweep.events.js';
import type { JournalSweeps } from './journal-sweeps.js';
import { archiveOf, type SweepArchive } from './sweep-archive.js';
import { sweepEdge } from './sweep-edge.js';
import { SweepMark } from './sweep-mark.js';
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
  /** How that folder is reached; without it as the journal is. */
  readonly archiveDisk?: NonNullable<ArchiveOptions['disk']>;
}

/** So many expired entries of indexes are let go of at once: more would hold the next turn up. */
const expiredMax = 4096;

/** Fewer are let go of when so much time has passed. */
const forgetEveryMs = 60_000;

const noGuard: SweepGuard = { sweepBegins: async () => undefined, sweepEnded: () => undefined };

/**
 * One for each engine. Nothing is removed before the event that says so is durable, so that a
 * replay after a crash forgets at the same place.
 */
export class JournalSweeper {
  guard = noGuard;
  /** Null = what a sweep removes is nowhere else. */
  archive: SweepArchive | null;
  private isStopped = false;
  private isSweeping = false;
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
  ) {
    const { archiveFolder } = rules;
    this.archive = archiveFolder === null ? null : archiveOf(archiveFolder, sweeps);
  }

  /**
   * Removes what happened before `before`, Unix milliseconds, and is not needed at `at`. Null =
   * that is not worth it yet, or a sweep is under way. Rejects with `SweepStopped`, or as the log
   * does.
   */
  sweep(before: number, at: number): Promise<SweepReport | null> {
    return this.alone(() => this.sweepTo(before, at));
  }

  /**
   * Has indexes let go of what is over at `at`, and nothing else: where all of the journal is kept.
   * Rejects as `sweep`.
   */
  forget(at: number): Promise<null> {
    return this.alone(() => this.forgetAt(at));
  }

  /**
   * Removes here what another machine, which writes the journal, is about to remove there. Call it
   * when the event that says so is the last one that memory holds; what is folded from then on is
   * to this what turns are to a sweep. Null = all of it is gone already; or a sweep is under way,
   * and what that leaves goes with the next one. Rejects as `sweep`.
   */
  follow(range: SweepRange): Promise<SweepReport | null> {
    return this.alone(() => this.followTo(range));
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

  private async alone<Report>(work: () => Promise<Report | null>): Promise<Report | null> {
    this.check();
    if (this.isSweeping) return null;
    this.isSweeping = true;
    const sweeping = work().finally(() => {
      this.isSweeping = false;
    });
    this.underWay = sweeping.catch(() => undefined);
    return sweeping;
  }

  private async sweepTo(before: number, at: number): Promise<SweepReport | null> {
    const { journal, crossings } = this;
    const old = await sweepEdge(journal, before, at);
    const edge = Math.max(this.lastEdge, crossings.edgeAt(old));
    if (!this.isWorthIt(edge)) return this.forgetAt(at);
    const mark = await this.marked({ edge, at });
    const outcome = await this.remove(edge, mark, () => this.sweeps.begin(edge, at));
    await this.sweeps.record(outcome, at);
    return outcome;
  }

  private async followTo({ edge: theirs, at }: SweepRange): Promise<SweepReport | null> {
    const edge = this.crossings.edgeAt(theirs);
    if (edge <= this.lastEdge || this.sealedUntil(edge) === 0) return null;
    const mark = await this.marked({ edge, at });
    // In the lazy modes a power cut must not leave less of the journal than the mark went by.
    return this.remove(edge, mark, () => this.journal.synced());
  }

  /** What a sweep keeps, by memory as it is when this is called. */
  private async marked({ edge, at }: SweepRange): Promise<SweepMark> {
    const { engine, journal, crossings } = this;
    const mark = new SweepMark(engine, journal, crossings, edge, this.sealedUntil(edge));
    await mark.make(at, this.check);
    return mark;
  }

  /** `begin` is awaited before the first event goes. */
  private async remove(
    edge: number,
    mark: SweepMark,
    begin: () => Promise<unknown>,
  ): Promise<SweepReport> {
    const { engine, journal, archive } = this;
    const { archiveDisk: disk } = this.rules;
    const copies = archive && { ...archive.options(), ...(disk !== undefined && { disk }) };
    const keeps = (offset: number) => {
      this.check();
      return mark.keeps(offset);
    };
    let hasBegun = false;
    const settled = async () => {
      this.check();
      // Everything is archived by now.
      if (!hasBegun) {
        await archive?.archived(edge);
        await begin();
      }
      hasBegun = true;
      await engine.durable();
    };
    const outcome = await this.guarded(edge, () =>
      journal.sweep(edge, keeps, settled, copies ?? undefined),
    );
    this.crossings.forgetBefore(edge);
    this.lastEdge = edge;
    return outcome;
  }

  /** A sweep that begins, at the edge of the last one, and removes nothing. */
  private async forgetAt(at: number): Promise<null> {
    const over = this.sweeps.overAt(at);
    const isDue = over >= expiredMax || Math.abs(at - this.forgottenAt) >= forgetEveryMs;
    if (over === 0 || !isDue) return null;
    this.forgottenAt = at;
    await this.sweeps.begin(this.sweeps.edge, at);
    return null;
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
