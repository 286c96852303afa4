import type { AcknowledgedEntriesMissing } from '../../../src/cluster/cluster-errors.js';
import { encodeEntry } from '../../../src/cluster/entry.js';
import { KafkaLog } from '../../../src/cluster/kafka/kafka-log.js';
import { parseKafkaUrl } from '../../../src/cluster/kafka/kafka-url.js';
import type { Protocol } from '../../../src/cluster/kafka/protocol.js';
import { ClusterNode } from '../../../src/cluster/node.js';
import { ownershipRules } from '../../../src/cluster/rules.js';
import { systemClock } from '../../../src/engine/clock.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { seed } from '../../support/seed.js';
import { describeWithMockBrokers, MockBrokers } from '../mock-brokers/mock-brokers.js';
import { oldProtocol } from '../mock-brokers/old-protocol.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const times = { proofMs: 400, silenceMs: 700, marginMs: 50, beatMs: 80, retryMs: 20 };
const topic = 'nodes';

const notLeader = 6;
const timedOut = 7;
const notEnoughReplicas = 19;

describeWithMockBrokers('nodes over a log on the protocol of Kafka', () => {
  let brokers: MockBrokers;
  let protocol: Protocol;
  let nodes: Folding[] = [];

  beforeAll(async () => {
    protocol = await oldProtocol();
  });

  beforeEach(async () => {
    brokers = await MockBrokers.start();
    await brokers.topic(topic);
    nodes = [0, 1, 2].map((index) => new Folding(newLog(), index));
  });

  afterEach(async () => {
    for (const node of nodes) await node.end();
    brokers.stop();
  });

  const newLog = () =>
    new KafkaLog(protocol, parseKafkaUrl(`kafka://${brokers.addresses}/${topic}`), systemClock);

  /** Commits texts through the owner; returns the acknowledged ones. */
  async function commit(name: string, count: number): Promise<string[]> {
    const acknowledged: string[] = [];
    for (let attempt = 0; acknowledged.length < count; attempt += 1) {
      const owner = nodes.find(({ node }) => node.maySubmit);
      if (owner === undefined) {
        await pause(5);
        continue;
      }
      const text = `${name} ${attempt}`;
      const counts = await owner.node.submit(Buffer.from(text)).then(
        () => true,
        () => false,
      );
      if (counts) acknowledged.push(text);
    }
    return acknowledged;
  }

  /**
   * Expects that all nodes have folded the same, each text once, in the order of acknowledgements.
   */
  async function haveFolded(live: readonly Folding[], acknowledged: readonly string[]) {
    const sequences = () => new Set(live.map(({ node }) => node.state.sequence));
    while (sequences().size > 1) await pause(20);
    for (const each of live) {
      expect(each.error).toBeNull();
      expect(each.texts).toEqual(live[0]?.texts);
    }
    const isAcknowledged = new Set(acknowledged);
    expect(live[0]?.texts.filter((text) => isAcknowledged.has(text))).toEqual(acknowledged);
  }

  it('keep everything acknowledged while brokers fail and take turns in leading', async () => {
    const random = new SeededRandom(seed);
    const between = (low: number, high: number) => low + random.below(high - low + 1);
    let isOver = false;
    const faults = (async () => {
      for (let leader = 1; !isOver; ) {
        const fault = random.below(5);
        if (fault === 0) await brokers.fail('produce', notEnoughReplicas, between(1, 3));
        if (fault === 1) await brokers.fail('produce', timedOut, between(1, 3));
        if (fault === 2) await brokers.fail('fetch', notLeader, between(1, 3));
        if (fault === 3) await brokers.answerLate(leader, 'produce', between(50, 700));
        if (fault === 4) {
          const down = leader;
          leader = (leader % 3) + 1;
          await brokers.down(down);
          await brokers.lead(topic, leader);
          await pause(between(0, 200));
          await brokers.up(down);
        }
        await pause(between(10, 60));
      }
    })();
    const acknowledged = await commit('during faults', 150);
    isOver = true;
    await faults;
    acknowledged.push(...(await commit('after', 5)));
    await haveFolded(nodes, acknowledged);
  }, 120_000);

  it('continue with everything acknowledged when the owner ends in the middle', async () => {
    const acknowledged = await commit('first', 40);
    const owner = nodes.find(({ node }) => node.maySubmit)!;
    // A batch is in flight when the owner ends; whether it counts is unknown.
    const last = owner.node.submit(Buffer.from('last words')).catch(() => undefined);
    await owner.end();
    await last;
    acknowledged.push(...(await commit('second', 40)));
    await haveFolded(
      nodes.filter((each) => each !== owner),
      acknowledged,
    );
  }, 60_000);

  it('do not count what a former owner writes', async () => {
    const acknowledged = await commit('first', 5);
    const owner = nodes.find(({ node }) => node.maySubmit)!;
    const before = owner.node.state;
    await owner.end();
    acknowledged.push(...(await commit('second', 5)));
    const { epoch, sequence, checksum: previous } = before;
    const stale = encodeEntry({
      kind: 'part',
      epoch,
      life: owner.life,
      after: before.next,
      sequence: sequence + 1,
      previous,
      part: 0,
      parts: 1,
      body: Buffer.from('stale'),
    });
    const log = newLog();
    expect(await log.append(before.next, stale)).toMatchObject({ kind: 'stored' });
    await log.close();
    acknowledged.push(...(await commit('third', 5)));
    const others = nodes.filter((each) => each !== owner);
    await haveFolded(others, acknowledged);
    expect(others[0]?.texts).not.toContain('stale');
  }, 60_000);
});

/** A node that folds texts. */
class Folding {
  readonly texts: string[] = [];
  readonly node: ClusterNode;
  readonly life: string;
  error: AcknowledgedEntriesMissing | null = null;

  constructor(
    private readonly log: KafkaLog,
    index: number,
  ) {
    this.life = `00000000000000a${index}`;
    this.node = new ClusterNode({
      log,
      clock: systemClock,
      name: `node-${index}`,
      life: this.life,
      rules: ownershipRules,
      times,
      jitterMs: 100 * index,
      appendMs: 500,
      listener: {
        counted: ({ body }) => this.texts.push(String(body)),
        took: () => undefined,
        released: () => undefined,
        stoodDown: () => undefined,
        resync: () => Promise.reject(new Error('nothing was trimmed')),
        stopped: (error) => {
          this.error = error;
        },
      },
    });
  }

  /** Nothing that is in flight reaches the node any more. */
  async end(): Promise<void> {
    this.node.close();
    await this.log.close();
  }
}
