/** A node of the simulation: the product's `ClusterMember`, with a small state above it. */

import { ClusterMember } from '../../../src/cluster/member.js';
import type { MemberAction } from '../../../src/cluster/member-actions.js';
import { type OwnershipRules, ownershipTimes } from '../../../src/cluster/rules.js';
import {
  type CountedBatch,
  emptyHistory,
  type HistoryState,
} from '../../../src/cluster/shared-history.js';
import type { SeededRandom } from '../../simulation/seeded-random.js';
import { KeptSeeds } from './kept-seeds.js';
import type { SimulatedLog } from './simulated-log.js';
import type { VirtualTime } from './virtual-time.js';

/** What a mutant may change, including the rules. */
export interface Wiring {
  readonly rules: OwnershipRules;
  readonly keepsSeeds: boolean;
  readonly answersEarly: boolean;
  readonly provesReads: boolean;
}

/** The folded state of a node: its history, and the ids of writes in order. */
export interface Folded {
  readonly history: HistoryState;
  readonly writes: readonly string[];
  readonly seeds: KeptSeeds;
}

export const nothingFolded: Folded = { history: emptyHistory, writes: [], seeds: new KeptSeeds() };

/** What nodes report to their walk. */
export interface Witness {
  answered(id: string): void;
  effect(id: string): void;
  counted(node: SimulatedNode, batch: CountedBatch): void;
  stopped(node: SimulatedNode, error: Error): void;
  took(): void;
  stoodDown(): void;
  /** A snapshot that reaches at least to `start`; null if there is none yet. */
  snapshot(node: SimulatedNode, start: number): Folded | null;
}

type Answer = () => void;

/** The ids of the writes in a batch. */
export function writesIn(body: Buffer): string[] {
  return body
    .toString()
    .split(',')
    .map((text) => text.split(':')[0]!);
}

export class SimulatedNode {
  member: ClusterMember;
  isUp = true;
  pausedUntil = 0;
  isSlow = false;
  writes: string[] = [];
  seeds = new KeptSeeds();
  saved: Folded = nothingFolded;
  private life = 0;
  private written = new Set<string>();
  private filling: string[] = [];
  private inFlight: string[] = [];
  private waiting = new Map<string, Answer[]>();
  private effects = 0;
  private readonly rate: number;
  private readonly skewMs: number;

  constructor(
    readonly name: string,
    private readonly index: number,
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
    private readonly log: SimulatedLog,
    private readonly wiring: Wiring,
    private readonly witness: Witness,
    /** Whether all batches have many parts. */
    private readonly isLarge: boolean,
  ) {
    this.rate = 0.95 + 0.1 * random.next();
    this.skewMs = random.below(1_000_000);
    this.member = this.born(nothingFolded);
    this.tick();
  }

  /** The node's own clock, with its own offset and rate. */
  get clock(): number {
    return this.skewMs + this.rate * this.time.now;
  }

  get isRunning(): boolean {
    return this.isUp && this.time.now >= this.pausedUntil;
  }

  get mayAct(): boolean {
    return this.isRunning && this.member.mayAct(this.clock);
  }

  get folded(): Folded {
    return { history: this.member.state, writes: [...this.writes], seeds: this.seeds.copy() };
  }

  holds(id: string): boolean {
    return this.written.has(id);
  }

  /** Ends this life; the next one starts with the content of the folder. */
  crash(downMs: number): void {
    this.isUp = false;
    this.life += 1;
    this.time.after(downMs, () => {
      this.isUp = true;
      this.member = this.born(this.saved);
      this.tick();
    });
  }

  stop(): void {
    this.isUp = false;
    this.life += 1;
  }

  /**
   * A write that a client requests, or another node for it; without an answer it is requested
   * again.
   */
  write(id: string, answer: Answer): void {
    this.soon(0, () => {
      if (!this.member.mayServe(this.clock)) return;
      if (this.wiring.keepsSeeds && this.seeds.has(id)) {
        answer();
        return;
      }
      const waiting = this.waiting.get(id);
      if (waiting === undefined) this.filling.push(id);
      this.waiting.set(id, [...(waiting ?? []), answer]);
      this.commit();
    });
  }

  private born(from: Folded): ClusterMember {
    this.go(from);
    const jitterMs = 100 + this.random.below(900);
    const life = Buffer.from([0, 0, 0, 0, 0, this.index, this.life >> 8, this.life & 255]);
    return new ClusterMember(
      {
        name: this.name,
        life: life.toString('hex'),
        rules: this.wiring.rules,
        times: ownershipTimes,
        jitterMs,
        partBytes: 24,
      },
      this.clock,
      from.history,
    );
  }

  private go({ writes, seeds }: Folded): void {
    this.writes = [...writes];
    this.written = new Set(writes);
    this.seeds = seeds.copy();
    this.effects = writes.length;
    this.dropUncounted();
  }

  private dropUncounted(): void {
    this.filling = [];
    this.inFlight = [];
    this.waiting = new Map();
  }

  /** Runs a function later, only in this life and not while the node is paused. */
  private soon(delayMs: number, run: () => void): void {
    const { life } = this;
    const attempt = () => {
      if (this.life !== life) return;
      if (this.time.now < this.pausedUntil) {
        this.time.after(this.pausedUntil - this.time.now, attempt);
      } else run();
    };
    if (delayMs === 0) attempt();
    else this.time.after(delayMs, attempt);
  }

  private tick(): void {
    this.do(this.member.tick(this.clock));
    this.commit();
    if (this.mayAct) {
      for (; this.effects < this.writes.length; this.effects += 1) {
        this.witness.effect(this.writes[this.effects]!);
      }
    }
    if (this.random.chance(0.1)) this.saved = this.folded;
    if (this.random.chance(0.002)) this.leave();
    this.soon(60, () => this.tick());
  }

  /** A planned end: the node releases the log, and ends its life soon afterwards. */
  private leave(): void {
    if (!this.member.maySubmit(this.clock)) return;
    this.do(this.member.release(this.clock));
    this.soon(1500, () => this.crash(100));
  }

  private commit(): void {
    if (this.filling.length === 0 || !this.member.maySubmit(this.clock)) return;
    this.inFlight = this.filling;
    this.filling = [];
    if (this.wiring.answersEarly) this.answer(this.inFlight);
    const pad = 'x'.repeat(this.random.chance(0.3) || this.isLarge ? 60 : 2);
    const body = Buffer.from(this.inFlight.map((id) => `${id}:${pad}`).join(','));
    this.do(this.member.submit(body, this.clock));
  }

  private answer(ids: readonly string[]): void {
    for (const id of ids) {
      for (const answer of this.waiting.get(id) ?? []) answer();
      this.waiting.delete(id);
    }
  }

  private do(actions: readonly MemberAction[]): void {
    for (const action of actions) this.carryOut(action);
  }

  private carryOut(action: MemberAction): void {
    const { member, witness } = this;
    switch (action.kind) {
      case 'append':
        this.log.append(action.expected, action.bytes, (outcome) =>
          this.soonIn(member, () => this.do(member.appendEnded(action.send, outcome, this.clock))),
        );
        break;
      case 'read':
        this.log.read(action.from, this.isSlow && !this.log.isCalm, (found) =>
          this.soonIn(member, () => {
            if (found === null) member.readFailed();
            else this.do(member.readEnded(found, this.clock));
          }),
        );
        break;
      case 'counted':
        this.count(action.batch, action.isOwn);
        break;
      case 'took':
        this.effects = Math.max(0, this.writes.length - 3);
        witness.took();
        break;
      case 'released':
        this.crash(50 + this.random.below(2000));
        break;
      case 'stood-down':
        this.dropUncounted();
        witness.stoodDown();
        break;
      case 'resync':
        this.resync(action.start);
        break;
      case 'stop':
        this.stop();
        witness.stopped(this, action.error);
    }
  }

  private soonIn(member: ClusterMember, run: () => void): void {
    if (this.member === member && this.isUp) this.soon(0, run);
  }

  private count(batch: CountedBatch, isOwn: boolean): void {
    const ids = writesIn(batch.body);
    for (const id of ids) {
      this.writes.push(id);
      this.written.add(id);
      this.seeds.keep(id, batch.at ?? 0);
    }
    this.witness.counted(this, batch);
    if (!isOwn) return;
    this.answer(ids);
    this.inFlight = [];
    this.soon(1, () => this.commit());
  }

  private resync(start: number): void {
    const snapshot = this.witness.snapshot(this, start);
    if (snapshot === null) this.soon(200, () => this.resync(start));
    else {
      this.go(snapshot);
      this.member.restore(snapshot.history, this.clock);
    }
  }
}
