/** The shared logs that rounds are played over, and what befalls each of them. */
import type { CommitLog } from '../../../src/cluster/commit-log.js';
import { KafkaLog, openKafkaLog } from '../../../src/cluster/kafka/kafka-log.js';
import { parseKafkaUrl } from '../../../src/cluster/kafka/kafka-url.js';
import type { Protocol } from '../../../src/cluster/kafka/protocol.js';
import { PostgresLog } from '../../../src/cluster/postgres/postgres-log.js';
import { systemClock } from '../../../src/engine/clock.js';
import { MockBrokers } from '../mock-brokers/mock-brokers.js';
import { oldClientEnvironment } from '../mock-brokers/old-client-bundle.js';
import { oldProtocol } from '../mock-brokers/old-protocol.js';
import { PostgresPair, type SharedLogServers } from '../server-cluster.js';
import { BrokerRelays } from './broker-relays.js';
import type { NodeNetwork } from './node-network.js';

/** The log under the servers of rounds. */
export interface RoundsLog extends SharedLogServers {
  /** As this process reads it, which closes it. */
  open(): Promise<CommitLog>;
  /** Something may happen to the log itself after a round; false = nothing does. */
  befall(round: number): Promise<boolean>;
}

/** From then on it has no standby: so many rounds are played in parts of this many. */
export const mostPostgresRounds = 24;

/** Its primary is killed and its standby promoted, once. */
export class PostgresRounds implements RoundsLog {
  readonly url: string;

  private constructor(
    private readonly pair: PostgresPair,
    private readonly lostAfter: number,
  ) {
    this.url = pair.url;
  }

  /** Nodes of `network` reach it, too; its primary is lost after that round, counted from 0. */
  static async create(network: NodeNetwork | null, lostAfter: number): Promise<PostgresRounds> {
    return new PostgresRounds(await PostgresPair.create(network), lostAfter);
  }

  async open(): Promise<CommitLog> {
    return new PostgresLog({ urls: this.pair.urls, shard: 'main' });
  }

  async befall(round: number): Promise<boolean> {
    if (round !== this.lostAfter) return false;
    await this.pair.losePrimary();
    return true;
  }

  end(): Promise<void> {
    return this.pair.end();
  }
}

const topic = 'stepwell';
const brokerCount = 3;
const notEnoughReplicas = 19;

/** A broker is away so long, and an acknowledgement comes so late. */
const awayMs = 600;
const lateMs = 1500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Mock brokers keep the last 5 MiB of a topic, and the checker reads a log from its beginning. */
export const mostMockRounds = 24;

/** Mock brokers; nodes of a network reach them through relays. */
export class MockBrokersRounds implements RoundsLog {
  readonly url: string;
  private leader = 1;

  private constructor(
    private readonly brokers: MockBrokers,
    private readonly relays: BrokerRelays | null,
    private readonly protocol: Protocol,
    readonly environment: Readonly<Record<string, string>>,
  ) {
    this.url = `kafka://${brokers.addresses}/${topic}`;
  }

  /** Nodes of `network` reach them, too. */
  static async create(network: NodeNetwork | null): Promise<MockBrokersRounds> {
    const brokers = await MockBrokers.start();
    await brokers.topic(topic);
    const relays = network && (await BrokerRelays.start(network, brokers.addresses));
    const protocol = await oldProtocol();
    return new MockBrokersRounds(brokers, relays, protocol, await oldClientEnvironment());
  }

  async open(): Promise<CommitLog> {
    return new KafkaLog(this.protocol, parseKafkaUrl(this.url), systemClock);
  }

  /**
   * In turn: an acknowledgement is lost, another broker leads, the leader is away, and appends are
   * refused. After twelve rounds one of them is passed over, so that each comes after each of six
   * faults.
   */
  async befall(round: number): Promise<boolean> {
    const { brokers, leader } = this;
    const kind = (round + Math.floor(round / 12)) % 4;
    if (kind === 0) {
      await brokers.answerLate(leader, 'produce', lateMs);
      await pause(lateMs);
    } else if (kind === 1) {
      await this.leadNext();
    } else if (kind === 2) {
      await brokers.down(leader);
      await this.leadNext();
      await pause(awayMs);
      await brokers.up(leader);
    } else {
      await brokers.fail('produce', notEnoughReplicas, 3);
    }
    return true;
  }

  async end(): Promise<void> {
    this.relays?.stop();
    this.brokers.stop();
  }

  private async leadNext(): Promise<void> {
    this.leader = (this.leader % brokerCount) + 1;
    await this.brokers.lead(topic, this.leader);
  }
}

/** Real brokers, on which a topic is made; what befalls them is up to who runs them. */
export class RealBrokersRounds implements RoundsLog {
  readonly url: string;

  /** `host:port,...` */
  constructor(addresses: string) {
    this.url = `kafka://${addresses}/stepwell-rounds-${Date.now()}`;
  }

  open(): Promise<CommitLog> {
    return openKafkaLog(this.url);
  }

  async befall(): Promise<boolean> {
    return false;
  }

  async end(): Promise<void> {
    // They are not ours.
  }
}
