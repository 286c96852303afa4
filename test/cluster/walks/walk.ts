/**
 * One random walk of a cluster: nodes, clients and faults determined by the seed, then a calm
 * phase, then the check of the invariants. Everything runs without waiting, in true time that only
 * the walk knows.
 */
import { ownershipRules } from '../../../src/cluster/rules.js';
import { type CountedBatch, SharedHistory } from '../../../src/cluster/shared-history.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedLog } from './simulated-log.js';
import {
  type Folded,
  nothingFolded,
  SimulatedNode,
  type Wiring,
  type Witness,
  writesIn,
} from './simulated-node.js';
import { VirtualTime } from './virtual-time.js';

/** The unmodified product. */
export const sound: Wiring = {
  rules: ownershipRules,
  keepsSeeds: true,
  answersEarly: false,
  provesReads: true,
};

const chaosMs = 12_000;
const calmMs = 25_000;
const writesPerWalk = 40;
/** How long a node repeats a request to another node, as requests are held during a takeover. */
const heldMs = 5000;

/** The invariants, by the names with which violations are reported. */
export type Invariant =
  | 'an answered write is in the final fold once'
  | 'one node at most acts'
  | 'a read shows what was answered before it'
  | 'effects are of batches that count'
  | 'all nodes fold the same'
  | 'nothing stops without a cause'
  | 'a lost tail is noticed'
  | 'the cluster comes to rest';

/** The result of a walk. */
export interface Walked {
  readonly seed: number;
  readonly violations: readonly { readonly invariant: Invariant; readonly detail: string }[];
  readonly answers: number;
  readonly takeovers: number;
  readonly standDowns: number;
  readonly resyncs: number;
  readonly effects: number;
  readonly reads: number;
  /** Number of nodes that stopped because entries were missing. */
  readonly stops: number;
  readonly wasCut: boolean;
}

class Walk implements Witness {
  readonly violations: { invariant: Invariant; detail: string }[] = [];
  readonly log: SimulatedLog;
  readonly nodes: SimulatedNode[];
  readonly answers = new Set<string>();
  readonly effects = new Set<string>();
  readonly digests = new Map<number, number>();
  takeovers = 0;
  standDowns = 0;
  resyncs = 0;
  reads = 0;
  stops = 0;
  wasCut = false;
  private readonly time = new VirtualTime();
  private readonly random: SeededRandom;
  /**
   * Nodes that have read entries that were cut off. A node whose place is trimmed continues without
   * them.
   */
  private knowing = new Set<SimulatedNode>();
  private kept: Folded = nothingFolded;

  constructor(
    readonly seed: number,
    readonly wiring: Wiring,
  ) {
    this.random = new SeededRandom(seed);
    const { random, time } = this;
    const isLarge = random.chance(0.3);
    const lateness = isLarge ? 0.15 : 0.04;
    this.log = new SimulatedLog(time, random, random.chance(0.3), lateness, wiring.provesReads);
    this.nodes = ['a', 'b', 'c'].map(
      (name, index) =>
        new SimulatedNode(name, index, time, random, this.log, wiring, this, isLarge),
    );
  }

  run(): void {
    const { random, time } = this;
    const cuts = random.chance(0.05);
    for (let at = 0; at < chaosMs; at += 50 + random.below(700)) {
      time.after(at, () => this.goWrong(cuts));
    }
    for (let index = 0; index < writesPerWalk; index += 1) {
      time.after(random.below(chaosMs), () => this.write(`w${index}`, time.now + heldMs));
      time.after(random.below(chaosMs + 5000), () => this.read());
    }
    const look = () => this.lookAtActors();
    time.runUntil(chaosMs, look);
    this.log.isCalm = true;
    for (let wait = 0; wait < 4; wait += 1) {
      time.after(10_000 + 500 * wait, () => this.write(`last${wait}`, time.now + calmMs));
    }
    time.runUntil(chaosMs + calmMs, look);
    this.judge();
  }

  answered(id: string): void {
    this.answers.add(id);
  }

  effect(id: string): void {
    this.effects.add(id);
  }

  counted(node: SimulatedNode, batch: CountedBatch): void {
    const { next, checksum } = node.member.state;
    // A batch is reported after its entry was folded. Compares only if no other entry was folded
    // since.
    const known = this.digests.get(batch.place);
    if (next !== batch.place + 1) return;
    if (known !== undefined && known !== checksum && !this.wasCut) {
      this.violate('all nodes fold the same', `place ${batch.place} at ${node.name}`);
    }
    this.digests.set(batch.place, checksum);
  }

  stopped(node: SimulatedNode, error: Error): void {
    this.stops += 1;
    if (!this.wasCut)
      this.violate('nothing stops without a cause', `${node.name}: ${error.message}`);
  }

  took(): void {
    this.takeovers += 1;
  }

  stoodDown(): void {
    this.standDowns += 1;
  }

  snapshot(node: SimulatedNode, start: number): Folded | null {
    if (this.kept.history.next < start) return null;
    this.knowing.delete(node);
    this.resyncs += 1;
    return this.kept;
  }

  private goWrong(cuts: boolean): void {
    const { random, log, time } = this;
    const node = random.pick(this.nodes);
    const dice = random.below(100);
    if (dice < 22) node.pausedUntil = time.now + random.pick([200, 1500, 2500, 3500, 4500, 6000]);
    else if (dice < 32 && node.isUp && !(cuts && this.wasCut)) node.crash(random.below(4000));
    else if (dice < 40) log.unavailableUntil = time.now + random.below(3000);
    else if (dice < 55) node.isSlow = !node.isSlow;
    else if (dice < 65) this.trim();
    else if (dice >= 95) log.failOver();
    else if (dice < 75 && cuts && !this.wasCut && log.end - log.start > 5) {
      this.wasCut = true;
      log.cutOffTail(1 + random.below(5));
      const knows = ({ isUp, member }: SimulatedNode) => isUp && member.state.next > log.end;
      this.knowing = new Set(this.nodes.filter(knows));
    }
  }

  /** Keeps a snapshot of the node that has read the most, and trims the log below it. */
  private trim(): void {
    const folds = this.nodes.filter(({ isUp }) => isUp).map((node) => node.folded);
    const furthest = folds.sort((one, other) => other.history.next - one.history.next)[0];
    if (furthest === undefined || furthest.history.next <= this.kept.history.next) return;
    this.kept = furthest;
    this.log.start = Math.max(this.log.start, furthest.history.next - this.random.below(4));
    this.log.start = Math.min(this.log.start, this.log.end);
  }

  /**
   * A client sends a request to any node, which sends it to the owner that it knows, repeatedly
   * with the same seed.
   */
  private write(id: string, until: number): void {
    const { random, time } = this;
    let isAnswered = false;
    const attempt = () => {
      if (isAnswered || time.now > until) return;
      const edge = random.pick(this.nodes);
      const owner = this.nodes.find(({ name }) => name === edge.member.state.node) ?? edge;
      const target = random.chance(0.1) ? edge : owner;
      time.after(1 + random.below(20), () => {
        if (!target.isUp) return;
        target.write(id, () => {
          this.answered(id);
          // The answer is lost on its way to the first node, which repeats the request.
          if (this.log.isCalm || !random.chance(0.2)) isAnswered = true;
        });
      });
      time.after(300 + random.below(500), attempt);
    };
    attempt();
  }

  private read(): void {
    const node = this.random.pick(this.nodes);
    if (!node.mayAct) return;
    this.reads += 1;
    if (this.wasCut) return;
    for (const id of this.answers) {
      if (!node.holds(id)) this.violate('a read shows what was answered before it', id);
    }
  }

  private lookAtActors(): void {
    if (this.wasCut) return;
    const acting = this.nodes.filter((node) => node.mayAct);
    if (acting.length > 1) {
      const names = acting.map(({ name }) => name).join(' and ');
      this.violate('one node at most acts', `${names} at ${Math.round(this.time.now)} ms`);
    }
  }

  private judge(): void {
    const { lost, final } = this.finalFold();
    const times = new Map<string, number>();
    for (const id of final) times.set(id, (times.get(id) ?? 0) + 1);
    const once: Invariant = 'an answered write is in the final fold once';
    for (const id of this.answers) {
      if (!times.has(id) && !lost.has(id)) this.violate(once, `${id} is not in it`);
    }
    for (const [id, count] of times) {
      if (count > 1 && !this.wasCut) this.violate(once, `${id} is in it ${count} times`);
    }
    for (const id of this.effects) {
      if (!times.has(id) && !this.wasCut) this.violate('effects are of batches that count', id);
    }
    this.judgeNodes(final);
    // If the running nodes have everything, nodes that read the log from its start refuse it.
    const running = this.nodes.filter(({ isUp }) => isUp);
    const isLost = [...this.answers].some((id) => running.some((node) => !node.holds(id)));
    if (this.knowing.size > 0 && isLost && this.stops === 0) {
      this.violate('a lost tail is noticed', 'no stop');
    }
    if (this.stops > 0 || this.wasCut) return;
    for (let wait = 0; wait < 4; wait += 1) {
      if (!this.answers.has(`last${wait}`)) {
        this.violate('the cluster comes to rest', `last${wait} has no answer`);
      }
    }
  }

  private judgeNodes(final: readonly string[]): void {
    // Nodes that had read the cut-off entries may continue with all of them, in a log that new
    // readers refuse. Then these nodes must agree with each other.
    const running = this.nodes.find(({ isUp }) => isUp);
    const expected = (this.wasCut && running !== undefined ? running.writes : final).join();
    for (const { isUp, name, writes } of this.nodes) {
      if (!isUp) continue;
      if (writes.join() !== expected) {
        this.violate('all nodes fold the same', `${name} differs at the end`);
      }
    }
  }

  /** The fold of a reader of the whole log, by the rules of the walk, and what was cut off. */
  private finalFold() {
    const history = new SharedHistory(this.wiring.rules);
    const final: string[] = [];
    const lost = new Set<string>();
    const fold = (entries: typeof this.log.entries, found: (id: string) => void) => {
      for (const entry of entries) {
        const verdict = this.wasCut ? tolerant(history, entry) : history.fold(entry);
        if (verdict?.kind === 'counted') writesIn(verdict.batch.body).forEach(found);
      }
    };
    try {
      fold(this.log.entries, (id) => final.push(id));
    } catch (error) {
      this.violate('nothing stops without a cause', `the whole log: ${(error as Error).message}`);
    }
    if (this.wasCut) for (const id of this.answers) if (!final.includes(id)) lost.add(id);
    return { final, lost };
  }

  private violate(invariant: Invariant, detail: string): void {
    if (this.violations.length < 20) this.violations.push({ invariant, detail });
  }
}

/** After a cut the log itself may be invalid; its readers stop there, and so does this one. */
function tolerant(history: SharedHistory, entry: Parameters<SharedHistory['fold']>[0]) {
  try {
    return history.fold(entry);
  } catch {
    return null;
  }
}

/** Runs the walk of a seed. */
export function walk(seed: number, wiring: Wiring = sound): Walked {
  const walked = new Walk(seed, wiring);
  walked.run();
  const { violations, takeovers, standDowns, resyncs, reads, stops, wasCut } = walked;
  const [answers, effects] = [walked.answers.size, walked.effects.size];
  return {
    seed,
    violations,
    answers,
    takeovers,
    standDowns,
    resyncs,
    effects,
    reads,
    stops,
    wasCut,
  };
}
