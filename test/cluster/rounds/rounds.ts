/**
 * Rounds of faults over real servers: while a client publishes, the owner is killed, stopped for a
 * while, asked to end, or cut off from the log and its peers. Between rounds, the log itself may
 * have a fault. Then the observations are judged.
 */
import { basic } from '../../support/program/server-process.js';
import { type ClusterServer, ServerCluster } from '../server-cluster.js';
import { violationsOf } from './checker.js';
import { answerMs, lanes, RoundsClient } from './client.js';
import { committedIn } from './committed.js';
import type { Cut, NodeNetwork } from './node-network.js';
import type { Observed, Takeover } from './observed.js';
import type { RoundsLog } from './shared-logs.js';
import { Sink } from './sink.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export type Fault = 'kill' | 'stop' | 'end' | Cut;

export interface RoundsOptions {
  readonly log: RoundsLog;
  /** Used in turn, one per round. */
  readonly faults: readonly Fault[];
  readonly count: number;
  /** The network of the nodes; null = that of this process, where nothing can be cut. */
  readonly network: NodeNetwork | null;
  /** No round begins after this time. */
  readonly withinMs?: number;
}

/** The result of the rounds. */
export interface RoundsReport {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly arrivals: number;
  /** Acknowledged delayed messages that the last owner does not have. */
  readonly missing: readonly string[];
  /** Acknowledged records that are not at the position in their acknowledgement. */
  readonly misplaced: readonly string[];
  /** Acknowledged immediate messages that never reached their destination. */
  readonly undelivered: readonly number[];
  /** The violations that the checker found. */
  readonly violations: readonly string[];
  /** Nodes that ended unexpectedly, or did not start again. */
  readonly strays: readonly string[];
  /**
   * The duration of each takeover, by fault: from the fault until another node reports that it
   * serves.
   */
  readonly servesMs: Readonly<Record<string, readonly number[]>>;
  /**
   * From the fault to the first publish acknowledged by the new owner; clients wait up to 2 s for a
   * node.
   */
  readonly takeoverMs: Readonly<Record<string, readonly number[]>>;
  /** Answers other than acknowledgements, by status. */
  readonly refused: Readonly<Record<number, number>>;
  readonly epochs: number;
  /**
   * How long the sink hung at most. If this exceeds what the checker allows for an attempt in
   * transit, a rate may seem to be exceeded.
   */
  readonly sinkStoodStillMs: number;
  /** The observations that the checker got. */
  readonly observed: Observed;
}

/**
 * The size of a burst for the lane with a rate, whose window is then open while an owner is lost.
 */
const ratedPerRound = 5;

class Rounds {
  readonly takeovers: Takeover[] = [];
  readonly servesMs: Record<string, number[]> = {};
  readonly takeoverMs: Record<string, number[]> = {};
  readonly strays: string[] = [];

  constructor(
    readonly cluster: ServerCluster<RoundsLog>,
    readonly client: RoundsClient,
    private readonly network: NodeNetwork | null,
  ) {}

  async round(fault: Fault): Promise<void> {
    const owner = await this.cluster.owner();
    this.client.publishRated(ratedPerRound);
    await pause(300);
    const from = Date.now();
    await this.strike(owner, fault);
    await this.cluster.owner(owner);
    const until = Date.now();
    while (this.client.lastAcknowledgedAt < until) await pause(5);
    note(this.servesMs, fault, until - from);
    note(this.takeoverMs, fault, this.client.lastAcknowledgedAt - from);
    const wentOnAt = fault === 'kill' || fault === 'end' ? null : Date.now();
    this.takeovers.push({ isPlanned: fault === 'end', from, until, wentOnAt });
    await this.comeBack(owner, fault);
  }

  /** Strikes the owner; it may continue, or another node may take over. */
  async befall(round: number): Promise<void> {
    const from = Date.now();
    if (!(await this.cluster.log.befall(round))) return;
    const befell = Date.now();
    while (this.client.lastAcknowledgedAt <= befell) await pause(5);
    this.takeovers.push({ isPlanned: false, from, until: Date.now(), wentOnAt: Date.now() });
    this.noteEnded('what befell the log', null);
  }

  private async strike(owner: ClusterServer, fault: Fault): Promise<void> {
    if (fault === 'kill') await owner.kill();
    else if (fault === 'stop') owner.signal('SIGSTOP');
    else if (fault === 'end') owner.signal('SIGTERM');
    else this.network?.cut(this.cluster.nodes.indexOf(owner), fault);
  }

  private async comeBack(owner: ClusterServer, fault: Fault): Promise<void> {
    this.noteEnded(fault, owner);
    if (fault === 'stop') owner.signal('SIGCONT');
    else if (fault !== 'kill' && fault !== 'end') {
      this.network?.heal(this.cluster.nodes.indexOf(owner));
    }
    const code = fault === 'kill' ? null : await owner.process?.gone();
    const expected = fault === 'end' ? 0 : 75;
    if (fault !== 'kill' && code !== expected) {
      this.strays.push(`${fault}: ended with ${code}: ${owner.process?.output.slice(-500)}`);
    }
    await this.reviveAll();
  }

  /** Notes nodes that have ended, except `struck`. */
  private noteEnded(at: string, struck: ClusterServer | null): void {
    for (const node of this.cluster.nodes) {
      const code = node === struck ? null : (node.process?.child.exitCode ?? null);
      if (code !== null) this.strays.push(`a node ended with ${code} at ${at}`);
    }
  }

  /** Starts ended nodes again, like a supervisor; only the struck node may have ended. */
  private async reviveAll(): Promise<void> {
    for (const node of this.cluster.nodes) {
      await node.revive().catch((error: Error) => {
        this.strays.push(`it does not start again: ${error.message.slice(0, 500)}`);
      });
    }
  }
}

function note(times: Record<string, number[]>, fault: Fault, ms: number): void {
  times[fault] ??= [];
  times[fault].push(ms);
}

export async function runRounds(options: RoundsOptions): Promise<RoundsReport> {
  const { log, faults, network, withinMs = Number.POSITIVE_INFINITY } = options;
  const sink = await Sink.open(answerMs);
  const cluster = await ServerCluster.create(3, log, network?.places);
  const sinkHost = network?.clientHost ?? '127.0.0.1';
  const client = new RoundsClient(cluster.nodes, `http://${sinkHost}:${sink.port}`);
  const rounds = new Rounds(cluster, client, network);
  const running = client.run();
  const began = performance.now();
  let count = 0;
  try {
    for (; count < options.count && performance.now() - began < withinMs; count += 1) {
      if (rounds.strays.length > 0) break;
      await rounds.round(faults[count % faults.length] ?? 'kill');
      await rounds.befall(count);
    }
    client.stop();
    await running;
    return { rounds: count, ...(await judged(rounds, sink)) };
  } finally {
    client.stop();
    await cluster.end();
    sink.close();
  }
}

async function judged(
  { cluster, client, takeovers, servesMs, takeoverMs, strays }: Rounds,
  sink: Sink,
): Promise<Omit<RoundsReport, 'rounds'>> {
  const { acknowledged, produced, others: refused } = client;
  const missing = await missingOf(cluster, client);
  const misplaced = await misplacedOf(cluster, client);
  const undelivered = () =>
    acknowledged
      .filter(({ lane, number }) => lane !== 'later' && !sink.has(number))
      .map(({ number }) => number);
  // A rate may hold back many messages: waits as long as messages keep coming.
  for (let left = undelivered().length, idle = 0; left > 0 && idle < 600; idle += 1) {
    await pause(100);
    const now = undelivered().length;
    if (now < left) idle = 0;
    left = now;
  }
  // The messages answered last may still come a second time.
  await pause(200);
  const log = await cluster.log.open();
  const { messages: committed, epochs } = await committedIn(log);
  await log.close();
  const { arrivals } = sink;
  const observed = { lanes, arrivals, acknowledged, takeovers, committed };
  return {
    acknowledged: acknowledged.length + produced.length,
    arrivals: arrivals.length,
    missing,
    misplaced,
    undelivered: undelivered(),
    violations: violationsOf(observed),
    strays,
    servesMs,
    takeoverMs,
    refused,
    epochs,
    sinkStoodStillMs: sink.stoodStillMs,
    observed,
  };
}

async function missingOf(cluster: ServerCluster, client: RoundsClient): Promise<string[]> {
  const owner = await cluster.owner();
  const missing: string[] = [];
  for (const { lane, messageId } of client.acknowledged) {
    if (lane !== 'later') continue;
    const answer = await owner.ask('GET', `/v2/messages/${messageId}`, { withinMs: 10_000 });
    if (answer?.status !== 200) missing.push(messageId);
  }
  return missing;
}

async function misplacedOf(cluster: ServerCluster, client: RoundsClient): Promise<string[]> {
  const owner = await cluster.owner();
  const misplaced: string[] = [];
  for (const { partition, offset, value } of client.produced) {
    const body = JSON.stringify({ topic: 'rides', partition, offset });
    const headers = { authorization: basic };
    const found = await owner.ask('POST', '/fetch', { body, headers, withinMs: 10_000 });
    if (found?.status !== 200) throw new Error(`fetch: ${found?.text}`);
    const records: { offset: number; value: string }[] = JSON.parse(found.text);
    if (!records.some((record) => record.offset === offset && record.value === value)) {
      misplaced.push(value);
    }
  }
  return misplaced;
}
