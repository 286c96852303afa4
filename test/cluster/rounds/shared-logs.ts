/** The shared logs of the rounds, with their faults. */
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
  /** Opens the log for this process, which must close it. */
  open(): Promise<CommitLog>;
  /** May cause a fault of the log itself after a round; false = no fault. */
  befall(round: number): Promise<boolean>;
}

/** The most rounds of a part, because the log has no standby once its primary is lost. */
export const mostPostgresRounds = 24;

/** PostgreSQL, whose primary is killed and whose standby is promoted, once. */
export class PostgresRounds implements RoundsLog {
  readonly url: string;

  private constructor(
    private readonly pair: PostgresPair,
    private readonly lostAfter: number,
  ) {
    this.url = pair.url;
  }

  /**
   * Nodes of `network` can reach the log, too; the primary is lost after round `lostAfter`, counted
   * from 0.
   */
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

/** How long a broker is down, and how late an acknowledgement comes. */
const awayMs = 600;
const lateMs = 1500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The most rounds of a part: mock brokers keep the last 5 MiB of a topic, and the checker reads a
 * log from its beginning.
 */
export const mostMockRounds = 24;

/** Mock brokers, which nodes of a network reach through relays. */
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

  /** Nodes of `network` can reach the brokers, too. */
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
   * In turn: an acknowledgement is lost, another broker leads, the leader is down, and appends are
   * refused. After twelve rounds one of them is skipped, so that each comes after each of the six
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

/** Real brokers, on which a topic is created; their faults are up to their operator. */
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
    // The brokers do not belong to the test.
  }
}
