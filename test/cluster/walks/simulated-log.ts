/**
 * A shared log with every fault that ownership must tolerate, and one fault that it cannot
 * tolerate.
 */
import type {
  AppendOutcome,
  ReadEntries,
  SharedLogEntry,
} from '../../../src/cluster/commit-log.js';
import { decodeEntry } from '../../../src/cluster/entry.js';
import type { SeededRandom } from '../../simulation/seeded-random.js';
import type { VirtualTime } from './virtual-time.js';

/** How long a node waits for the outcome of an append before the outcome counts as unknown. */
const patienceMs = 300;

export class SimulatedLog {
  /** All entries, including the trimmed ones. */
  entries: SharedLogEntry[] = [];
  start = 0;
  /** Whether faults have ended. */
  isCalm = false;
  unavailableUntil = 0;
  /**
   * Entries from this place on are visible, but would be lost with the server, because the standby
   * lacks them.
   */
  private replicated = 0;
  private readonly held: { readonly expected: number; readonly bytes: Buffer }[] = [];

  constructor(
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
    /** Like PostgreSQL, whose primary key compares places; otherwise like Kafka. */
    readonly comparesPlaces: boolean,
    /** The probability that a packet comes late. */
    private readonly lateness: number,
    /** Whether reads wait until the standby has what they show (ADR 116). */
    private readonly provesReads: boolean,
  ) {}

  get end(): number {
    return this.entries.length;
  }

  /** Appends an entry. `tell` is called once or twice, with the outcome or with `unknown`. */
  append(expected: number, lent: Buffer, tell: (outcome: AppendOutcome) => void): void {
    const { random, time } = this;
    const bytes = Buffer.from(lent);
    let isSettled = false;
    const once = (outcome: AppendOutcome, delayMs: number) =>
      time.after(delayMs, () => {
        if (isSettled) return;
        isSettled = true;
        tell(outcome);
        // A repeated acknowledgement.
        if (this.isUnlucky(0.03)) time.after(random.below(200), () => tell(outcome));
      });
    once({ kind: 'unknown' }, patienceMs);
    if (this.isUnlucky(0.04)) return;
    const isLate = this.isUnlucky(this.lateness);
    if (isLate && random.chance(0.5)) {
      this.held.push({ expected, bytes });
      return;
    }
    const landsIn = isLate ? random.below(7000) : 1 + random.below(15);
    const copies = this.isUnlucky(0.03) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      time.after(landsIn + copy * random.below(500), () => {
        const outcome = this.land(expected, bytes);
        if (!this.isUnlucky(0.05)) once(outcome, 1 + random.below(15));
      });
    }
  }

  /** Reads entries; `tell` gets null if the read fails. */
  read(from: number, isSlow: boolean, tell: (found: ReadEntries | null) => void): void {
    const { random, time } = this;
    time.after(1 + random.below(10), () => {
      if (this.isDown || this.isUnlucky(0.02)) {
        time.after(100, () => tell(null));
        return;
      }
      const first = Math.max(from, this.start);
      const entries = this.entries.slice(first, first + (isSlow ? 2 : 1000));
      if (this.provesReads) this.replicated = this.end;
      const found = { start: this.start, end: this.end, entries };
      const waits = entries.length === 0 ? 30 + random.below(40) : 1 + random.below(10);
      time.after(waits + (isSlow ? random.below(400) : 0), () => tell(found));
    });
  }

  /** The standby replaces the server; the entries that it lacks were never acknowledged. */
  failOver(): void {
    if (this.comparesPlaces) this.entries.splice(Math.max(this.start, this.replicated));
  }

  /** Loses the entries acknowledged last, like an unclean leader election. */
  cutOffTail(count: number): void {
    this.entries.splice(Math.max(this.start, this.end - count));
  }

  /** A packet delayed by the network arrives at the worst moment: between two parts of a batch. */
  private release(bytes: Buffer): void {
    const landed = decodeEntry(bytes);
    const index = this.held.findIndex((packet) => {
      const said = decodeEntry(packet.bytes);
      if (landed?.kind !== 'part' || said?.kind !== 'part') return this.isUnlucky(0.02);
      return said.epoch < landed.epoch && said.part === landed.part + 1;
    });
    if (index < 0) return;
    const [packet] = this.held.splice(index, 1);
    if (packet !== undefined) this.land(packet.expected, packet.bytes);
  }

  private get isDown(): boolean {
    return !this.isCalm && this.time.now < this.unavailableUntil;
  }

  /** Decides whether a fault of the network or the log happens. */
  private isUnlucky(probability: number): boolean {
    return this.random.chance(probability) && !this.isCalm;
  }

  private land(expected: number, bytes: Buffer): AppendOutcome {
    if (this.isDown) return { kind: 'unknown' };
    if (this.comparesPlaces && expected !== this.end) return { kind: 'refused' };
    const place = this.end;
    const at = Math.floor(this.time.now);
    this.entries.push({ place, at, bytes });
    // The commit's wait for the standby is cancelled; any later commit waits for this one, too.
    if (this.comparesPlaces && this.isUnlucky(0.1)) return { kind: 'unknown' };
    this.replicated = this.end;
    this.release(bytes);
    return { kind: 'stored', place, at };
  }
}
