/**
 * Shortens the journal: removes events that have ended and are older than retention, unless
 * something needs them (ADR 35). Runs one sweep at a time, in the background.
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

/** The server stops, so a running sweep ends. What it has done until then stays done. */
export class SweepStopped extends Error {
  override readonly name = 'SweepStopped';
}

/** Readers that must not use the journal below an edge, or earlier readings of it, in a sweep. */
export interface SweepGuard {
  /** Settles when no reader does so any more. */
  sweepBegins(edge: number): Promise<void>;
  sweepEnded(): void;
}

/** Combines several guards, in their order. */
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

/** When a sweep is worth it, and what becomes of segments from which it removes something. */
export interface SweepRules {
  /**
   * A sweep is worth it only if segments that no sweep has seen hold this many bytes; more are
   * required if earlier sweeps have kept much (`worthASweep`).
   */
  readonly bytesMin: number;
  /** Segments are copied there before anything is removed from them; null = they are not. */
  readonly archiveFolder: string | null;
  /** The disk of that folder; absent = the same as that of the journal. */
  readonly archiveDisk?: NonNullable<ArchiveOptions['disk']>;
}

/** Indexes drop their expired entries at this many: more would delay the next turn. */
const expiredMax = 4096;

/** Fewer expired entries are dropped once this time has passed. */
const forgetEveryMs = 60_000;

const noGuard: SweepGuard = { sweepBegins: async () => undefined, sweepEnded: () => undefined };

/**
 * One per engine. Nothing is removed before the event that announces it is durable, so that a
 * replay after a crash drops expired entries at the same place.
 */
export class JournalSweeper {
  guard = noGuard;
  /** Null = removed events are kept nowhere else. */
  archive: SweepArchive | null;
  private isStopped = false;
  private isSweeping = false;
  private underWay: Promise<unknown> = Promise.resolve();
  /** Where the last sweep of this process ended: crossings before this edge are forgotten. */
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
   * Removes events that happened before `before` (Unix milliseconds) and are not needed at `at`.
   * Null = not worth it yet, or a sweep is running. Rejects with `SweepStopped`, or like the log.
   */
  sweep(before: number, at: number): Promise<SweepReport | null> {
    return this.alone(() => this.sweepTo(before, at));
  }

  /**
   * Only makes indexes drop entries that have expired at `at`: for a journal of which everything is
   * kept. Rejects like `sweep`.
   */
  forget(at: number): Promise<null> {
    return this.alone(() => this.forgetAt(at));
  }

  /**
   * Removes here what another machine, which writes the journal, is about to remove there. Call it
   * when the event that announces the sweep is the last one in memory; events folded from then on
   * are treated like turns during a sweep. Null = all of it is gone already, or a sweep is running
   * (the next one removes what it leaves). Rejects like `sweep`.
   */
  follow(range: SweepRange): Promise<SweepReport | null> {
    return this.alone(() => this.followTo(range));
  }

  /** Settles when no sweep is running. */
  get ended(): Promise<unknown> {
    return this.underWay;
  }

  /** Starts no more sweeps, and ends a running one soon. */
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
    // In the lazy modes a power cut must not leave less of the journal than the mark was based on.
    return this.remove(edge, mark, () => this.journal.synced());
  }

  /** Marks what a sweep keeps, based on memory at the time of the call. */
  private async marked({ edge, at }: SweepRange): Promise<SweepMark> {
    const { engine, journal, crossings } = this;
    const mark = new SweepMark(engine, journal, crossings, edge, this.sealedUntil(edge));
    await mark.make(at, this.check);
    return mark;
  }

  /** Sweeps the journal; `begin` is awaited before the first event is removed. */
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
      // Every segment has been archived by now.
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

  /** Records a sweep that begins at the edge of the last one and removes nothing. */
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

  /** The end of the last sealed segment that lies entirely below `edge`. */
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
