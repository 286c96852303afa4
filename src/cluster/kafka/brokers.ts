/** Connections to Kafka brokers: to those that report who leads the topic, and to its leader. */
import { isIP } from 'node:net';
import type { KafkaAddress, KafkaTarget } from './kafka-url.js';
import {
  type BrokerConnection,
  KafkaUnavailable,
  type Metadata,
  type Protocol,
  reasonOf,
} from './protocol.js';

const connectMs = 2000;

/** Timeout of a request, including its wait in the broker. */
const requestMs = 5000;

/** Opens a connection. It does not reconnect by itself, and no request on it is sent twice. */
async function connectTo(
  kafka: Protocol,
  target: KafkaTarget,
  { host, port }: KafkaAddress,
): Promise<BrokerConnection> {
  const connection = new kafka.Connection('stepwell', {
    connectTimeout: connectMs,
    requestTimeout: requestMs,
    ...(target.tls && { tls: {}, tlsServerName: isIP(host) === 0 }),
    ...(target.sasl && { sasl: target.sasl }),
  });
  // Requests in flight reject by themselves; an error event without a listener ends the process.
  connection.on('error', () => {});
  await connection.connect(host, port);
  return connection;
}

/** Sends one request to a broker, on a connection of its own. */
export async function asked<Answer>(
  kafka: Protocol,
  target: KafkaTarget,
  broker: KafkaAddress,
  ask: (connection: BrokerConnection) => Promise<Answer>,
): Promise<Answer> {
  const connection = await connectTo(kafka, target, broker);
  try {
    return await ask(connection);
  } finally {
    connection.socket.destroy();
  }
}

/** The broker that leads the topic's only partition, with the epoch of its leadership. */
export interface Leader extends KafkaAddress {
  /**
   * Sent with each read: a broker that no longer leads, or does not know yet that it leads,
   * refuses.
   */
  readonly epoch: number;
}

const replaced = 'another broker leads by now';

/** Finds the broker that leads. Never accepts a leader of an older epoch than one already seen. */
export class Leaders {
  /** The newest epoch that any broker has reported. */
  epoch = -1;

  constructor(
    private readonly kafka: Protocol,
    private readonly target: KafkaTarget,
  ) {}

  /** Takes the first answer; later answers of the other brokers count for the next call. */
  async find(): Promise<Leader> {
    return Promise.any(this.answers()).catch((error) => this.refuse(error));
  }

  /** Takes the newest of all brokers' answers: a single broker may be cut off from the others. */
  async newest(): Promise<Leader> {
    const answers = await Promise.allSettled(this.answers());
    const leaders = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const [newest] = leaders.toSorted((one, other) => other.epoch - one.epoch);
    if (newest === undefined) throw new KafkaUnavailable('no broker says who leads');
    return newest;
  }

  private answers(): Promise<Leader>[] {
    const { kafka, target } = this;
    return target.brokers.map(async (broker) =>
      this.leaderIn(await asked(kafka, target, broker, (to) => kafka.metadata(to, [target.topic]))),
    );
  }

  private leaderIn({ brokers, topics }: Metadata): Leader {
    const partition = topics[0]?.partitions.find(({ partitionIndex }) => partitionIndex === 0);
    const broker = brokers.find(({ nodeId }) => nodeId === partition?.leaderId);
    if (partition === undefined || broker === undefined) throw new Error('no broker leads');
    if (partition.leaderEpoch < this.epoch) throw new Error(replaced);
    this.epoch = partition.leaderEpoch;
    return { host: broker.host, port: broker.port, epoch: partition.leaderEpoch };
  }

  private refuse(error: unknown): never {
    throw new KafkaUnavailable(`no broker says who leads: ${reasonOf(error)}`);
  }
}

/** A connection to the leader. */
export interface LeaderConnection {
  readonly connection: BrokerConnection;
  readonly epoch: number;
}

/** One connection to the broker that leads; opened again when it is lost. */
export class ToLeader {
  private current: Promise<LeaderConnection> | null = null;

  constructor(
    private readonly kafka: Protocol,
    private readonly target: KafkaTarget,
    private readonly leaders: Leaders,
  ) {}

  /**
   * Sends a request to the leader. After a failure the connection is not used again, and neither is
   * one to a former leader: a broker that is cut off does not know that, and has nothing new.
   */
  async ask<Answer>(
    question: (leader: LeaderConnection) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    this.current ??= this.connect();
    const { current } = this;
    try {
      const leader = await current;
      if (leader.epoch < this.leaders.epoch) throw new KafkaUnavailable(replaced);
      return await question(leader);
    } catch (error) {
      this.discard(current);
      throw error;
    }
  }

  /** Closes the connection at once, even if requests are in flight. */
  drop(): void {
    if (this.current !== null) this.discard(this.current);
  }

  private discard(dropped: Promise<LeaderConnection>): void {
    if (this.current === dropped) this.current = null;
    dropped.then(({ connection }) => connection.socket.destroy()).catch(() => undefined);
  }

  private async connect(): Promise<LeaderConnection> {
    const leader = await this.leaders.find();
    const connection = await connectTo(this.kafka, this.target, leader);
    return { connection, epoch: leader.epoch };
  }
}
