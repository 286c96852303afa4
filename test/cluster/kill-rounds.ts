/**
 * Rounds of faults over real servers: while clients publish, the owner is killed, stopped for a
 * while, or asked to end; in one round the PostgreSQL server under them is killed and its standby
 * promoted. At the end all that was acknowledged must be there.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basic } from '../support/program/server-process.js';
import { type ClusterServer, PostgresPair, ServerCluster } from './server-cluster.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the rounds have come to. */
export interface RoundsReport {
  readonly acknowledged: number;
  /** Messages for later whose publish was acknowledged and that the last owner does not have. */
  readonly missing: readonly string[];
  /** Records whose produce was acknowledged and that are not where it said. */
  readonly misplaced: readonly string[];
  /** Messages for now that were acknowledged and that never reached their destination. */
  readonly undelivered: readonly string[];
  /** How long each takeover took, by fault: from the fault to the first publish acknowledged. */
  readonly takeoverMs: Readonly<Record<Fault, readonly number[]>>;
  readonly epochs: number;
}

const faults = ['kill', 'stop', 'end'] as const;
type Fault = (typeof faults)[number];

const asUser = { authorization: basic };

/** A record, and where it was acknowledged. */
interface Produced {
  readonly partition: number;
  readonly offset: number;
  readonly value: string;
}

class Rounds {
  readonly later: string[] = [];
  readonly now = new Set<string>();
  readonly produced: Produced[] = [];
  readonly delivered = new Set<string>();
  readonly takeoverMs: Record<Fault, number[]> = { kill: [], stop: [], end: [] };
  private isOver = false;
  private sent = 0;
  private lastAcknowledgedAt = 0;

  constructor(private readonly cluster: ServerCluster<PostgresPair>) {}

  /** A client that takes the next node where one does not acknowledge. */
  async publishing(sink: string): Promise<void> {
    const { nodes } = this.cluster;
    for (let at = 0; !this.isOver; ) {
      this.sent += 1;
      if (this.sent % 5 === 0) await this.produce(nodes[at % nodes.length]);
      const isLater = this.sent % 2 === 0;
      const path = `/v2/publish/${sink}/${this.sent}`;
      const headers: Record<string, string> = isLater ? { 'upstash-delay': '10h' } : {};
      const answer = await nodes[at % nodes.length]?.ask('POST', path, { body: 'x', headers });
      if (answer?.status === 201 || answer?.status === 200) {
        const { messageId } = JSON.parse(answer.text);
        if (isLater) this.later.push(messageId);
        else this.now.add(path.slice(path.lastIndexOf('/') + 1));
        this.lastAcknowledgedAt = performance.now();
      } else at += 1;
      await pause(5);
    }
  }

  private async produce(node: ClusterServer | undefined): Promise<void> {
    const value = `record ${this.sent}`;
    const body = JSON.stringify({ value });
    const answer = await node?.ask('POST', '/produce/rides', { body, headers: asUser });
    if (answer?.status !== 200) return;
    const [{ partition, offset }] = [JSON.parse(answer.text)].flat();
    this.produced.push({ partition, offset, value });
  }

  async round(fault: Fault): Promise<void> {
    const owner = await this.cluster.owner();
    await pause(300);
    const began = performance.now();
    if (fault === 'kill') await owner.kill();
    else owner.signal(fault === 'stop' ? 'SIGSTOP' : 'SIGTERM');
    await this.cluster.owner(owner);
    const served = performance.now();
    while (this.lastAcknowledgedAt < served) await pause(5);
    this.takeoverMs[fault].push(Math.round(this.lastAcknowledgedAt - began));
    await this.comeBack(owner, fault);
  }

  stop(): void {
    this.isOver = true;
  }

  private async comeBack(owner: ClusterServer, fault: Fault): Promise<void> {
    if (fault === 'stop') {
      owner.signal('SIGCONT');
      // It notices that the log is another node's, and ends.
      while (owner.process?.child.exitCode === null) await pause(20);
      if (owner.process?.child.exitCode !== 75) {
        throw new Error(`a stale owner ended otherwise: ${owner.process?.output}`);
      }
    }
    if (fault === 'end') while (owner.process?.child.exitCode === null) await pause(20);
    await owner.revive();
  }
}

export async function killRounds(
  count: number,
  { isLogKilled }: { readonly isLogKilled: boolean },
): Promise<RoundsReport> {
  const cluster = await ServerCluster.create(3, await PostgresPair.create());
  const rounds = new Rounds(cluster);
  const sink = createServer((request, response) => {
    rounds.delivered.add((request.url ?? '').slice(1));
    response.end();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const { port } = sink.address() as AddressInfo;
  const client = rounds.publishing(`http://127.0.0.1:${port}`);
  try {
    for (let round = 0; round < count; round += 1) {
      await rounds.round(faults[round % faults.length] ?? 'kill');
      if (isLogKilled && round === 1) {
        await cluster.log.losePrimary();
      }
    }
    await pause(500);
    rounds.stop();
    await client;
    return await judged(rounds, cluster);
  } finally {
    rounds.stop();
    await cluster.end();
    sink.close();
  }
}

async function judged(rounds: Rounds, cluster: ServerCluster<PostgresPair>): Promise<RoundsReport> {
  const owner = await cluster.owner();
  const missing: string[] = [];
  for (const id of rounds.later) {
    const answer = await owner.ask('GET', `/v2/messages/${id}`, { withinMs: 10_000 });
    if (answer?.status !== 200) missing.push(id);
  }
  const misplaced: string[] = [];
  for (const { partition, offset, value } of rounds.produced) {
    const body = JSON.stringify({ topic: 'rides', partition, offset });
    const found = await owner.ask('POST', '/fetch', { body, headers: asUser, withinMs: 10_000 });
    if (found?.status !== 200) throw new Error(`fetch: ${found?.text}`);
    const records: { offset: number; value: string }[] = JSON.parse(found.text);
    if (!records.some((record) => record.offset === offset && record.value === value)) {
      misplaced.push(value);
    }
  }
  const undelivered = () => [...rounds.now].filter((path) => !rounds.delivered.has(path));
  for (let wait = 0; undelivered().length > 0 && wait < 200; wait += 1) await pause(100);
  const { epoch } = JSON.parse(
    cluster.log.standby.ask(`select coalesce(json_build_object('epoch', count(distinct
      get_byte(bytes, 16))), '{}') from stepwell_log`),
  );
  return {
    acknowledged: rounds.later.length + rounds.now.size + rounds.produced.length,
    missing,
    misplaced,
    undelivered: undelivered(),
    takeoverMs: rounds.takeoverMs,
    epochs: epoch,
  };
}
