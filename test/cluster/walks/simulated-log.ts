/** A shared log with every fault that ownership has to live with, and one that it cannot. */
import type {
  AppendOutcome,
  ReadEntries,
  SharedLogEntry,
} from '../../../src/cluster/commit-log.js';
import { decodeEntry } from '../../../src/cluster/entry.js';
import type { SeededRandom } from '../../simulation/seeded-random.js';
import type { VirtualTime } from './virtual-time.js';

/** How long a node waits for the outcome of an append before it counts as unknown. */
const patienceMs = 300;

export class SimulatedLog {
  /** All entries there are, the trimmed ones included. */
  entries: SharedLogEntry[] = [];
  start = 0;
  /** Nothing goes wrong from now on. */
  isCalm = false;
  unavailableUntil = 0;
  /** What stands from here on is seen, and would be lost with the server: its standby lacks it. */
  private replicated = 0;
  private readonly held: { readonly expected: number; readonly bytes: Buffer }[] = [];

  constructor(
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
    /** As PostgreSQL does with a key of shard and sequence; otherwise as Kafka does. */
    readonly comparesPlaces: boolean,
    /** How likely a packet comes late. */
    private readonly lateness: number,
    /** Reads wait until the standby has what they show (ADR 116). */
    private readonly provesReads: boolean,
  ) {}

  get end(): number {
    return this.entries.length;
  }

  /** `tell` hears at least once, with the outcome or with `unknown`; maybe twice. */
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

  /** `tell` hears null where the read fails. */
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

  /** The standby takes the place of the server: what it lacks was never acknowledged. */
  failOver(): void {
    if (this.comparesPlaces) this.entries.splice(Math.max(this.start, this.replicated));
  }

  /** Loses what was acknowledged last, as an unclean election does. */
  cutOffTail(count: number): void {
    this.entries.splice(Math.max(this.start, this.end - count));
  }

  /** A packet that the network kept comes at the worst moment: between two parts of a batch. */
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

  /** A fault of the network or the log. */
  private isUnlucky(probability: number): boolean {
    return this.random.chance(probability) && !this.isCalm;
  }

  private land(expected: number, bytes: Buffer): AppendOutcome {
    if (this.isDown) return { kind: 'unknown' };
    if (this.comparesPlaces && expected !== this.end) return { kind: 'refused' };
    const place = this.end;
    const at = Math.floor(this.time.now);
    this.entries.push({ place, at, bytes });
    // The wait of a commit for the standby is cancelled; any later commit waits for this one, too.
    if (this.comparesPlaces && this.isUnlucky(0.1)) return { kind: 'unknown' };
    this.replicated = this.end;
    this.release(bytes);
    return { kind: 'stored', place, at };
  }
}
