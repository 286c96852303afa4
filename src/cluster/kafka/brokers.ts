/** Connections to brokers of Kafka: to those that say who leads a topic, and to its leader. */
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

/** Of a request, its wait in the broker included. */
const requestMs = 5000;

/** Opens a connection; it is made once, and nothing on it is sent twice. */
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
  // What is under way rejects by itself; an event that has no listener would end the process.
  connection.on('error', () => {});
  await connection.connect(host, port);
  return connection;
}

/** Asks one broker, on a connection of its own. */
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

/** The broker that leads the topic's one partition, and since which change of leaders. */
export interface Leader extends KafkaAddress {
  /** Goes with each read: a broker that led before, or does not know yet that it leads, refuses. */
  readonly epoch: number;
}

/** Says which broker leads. A leader of an older epoch than was seen is never believed. */
export class Leaders {
  private epoch = -1;

  constructor(
    private readonly kafka: Protocol,
    private readonly target: KafkaTarget,
  ) {}

  /** By the first broker that knows. */
  async find(): Promise<Leader> {
    return this.seen(await Promise.any(this.answers()).catch((error) => this.refuse(error)));
  }

  /** By all brokers that answer: what one that lost touch with the others says is not enough. */
  async newest(): Promise<Leader> {
    const answers = await Promise.allSettled(this.answers());
    const leaders = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const [newest] = leaders.toSorted((one, other) => other.epoch - one.epoch);
    if (newest === undefined) throw new KafkaUnavailable('no broker says who leads');
    return this.seen(newest);
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
    if (partition.leaderEpoch < this.epoch) throw new Error('another broker leads by now');
    return { host: broker.host, port: broker.port, epoch: partition.leaderEpoch };
  }

  private seen(leader: Leader): Leader {
    this.epoch = Math.max(this.epoch, leader.epoch);
    return leader;
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

/** One connection to the broker that leads, made again where it is lost. */
export class ToLeader {
  private current: Promise<LeaderConnection> | null = null;

  constructor(
    private readonly kafka: Protocol,
    private readonly target: KafkaTarget,
    private readonly leaders: Leaders,
  ) {}

  /** Asks it something; a connection on which that failed is not used again. */
  async ask<Answer>(
    question: (leader: LeaderConnection) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    this.current ??= this.connect();
    const { current } = this;
    try {
      return await question(await current);
    } catch (error) {
      this.discard(current);
      throw error;
    }
  }

  /** Closes it at once, whatever it is doing. */
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
