/**
 * The client of the rounds: sends one request at a time, and goes to the next node if one fails.
 */
import { basic } from '../../support/program/server-process.js';
import type { ClusterServer } from '../server-cluster.js';
import type { Acknowledged, Lane } from './observed.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The lanes, which are delivered at once or as their limits allow. */
export const lanes: readonly Lane[] = [
  { name: 'plain', isOrdered: false, parallelism: null, rate: null },
  { name: 'queue', isOrdered: true, parallelism: 1, rate: null },
  { name: 'parallel', isOrdered: false, parallelism: 2, rate: null },
  { name: 'rate', isOrdered: false, parallelism: null, rate: { starts: 5, periodMs: 5000 } },
];

/** How long the destination takes to answer a message of a lane, in milliseconds. */
export const answerMs = (lane: string): number => ({ queue: 5, parallel: 40 })[lane] ?? 0;

const headersOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  parallel: {
    'upstash-flow-control-key': 'parallel',
    'upstash-flow-control-value': 'parallelism=2',
  },
  rate: {
    'upstash-flow-control-key': 'rate',
    'upstash-flow-control-value': 'rate=5, period=5s',
  },
  later: { 'upstash-delay': '10h' },
};

/**
 * Messages of `later` are not delivered during a run: the acknowledged ones are looked up at the
 * end.
 */
const turns = ['later', 'plain', 'queue', 'parallel'] as const;

/** A record, and the position given in its acknowledgement. */
export interface Produced {
  readonly partition: number;
  readonly offset: number;
  readonly value: string;
}

export class RoundsClient {
  readonly acknowledged: Acknowledged[] = [];
  readonly produced: Produced[] = [];
  /** Number of other answers by status; 0 = no answer came. */
  readonly others: Record<number, number> = {};
  lastAcknowledgedAt = 0;
  private isOver = false;
  private sent = 0;
  private rated = 0;

  constructor(
    private readonly nodes: readonly ClusterServer[],
    /** The base URL to which lanes are delivered. */
    private readonly sinkUrl: string,
  ) {}

  async run(): Promise<void> {
    for (let at = 0; !this.isOver; ) {
      const node = this.nodes[at % this.nodes.length];
      this.sent += 1;
      if (this.sent % 5 === 0) await this.produce(node);
      if (!(await this.publish(node))) at += 1;
      await pause(5);
    }
  }

  /** Publishes `count` messages of the lane with a rate next. */
  publishRated(count: number): void {
    this.rated += count;
  }

  stop(): void {
    this.isOver = true;
  }

  private async publish(node: ClusterServer | undefined): Promise<boolean> {
    const number = this.sent;
    const isRated = this.rated > 0;
    if (isRated) this.rated -= 1;
    const lane = isRated ? 'rate' : (turns[number % turns.length] ?? 'plain');
    const verb = lane === 'queue' ? 'enqueue/rounds' : 'publish';
    const path = `/v2/${verb}/${this.sinkUrl}/${lane}/${number}`;
    const sentAt = Date.now();
    const answer = await node?.ask('POST', path, { body: 'x', headers: headersOf[lane] ?? {} });
    const answeredAt = Date.now();
    const status = answer?.status ?? 0;
    if (answer == null || (status !== 200 && status !== 201)) {
      this.others[status] = (this.others[status] ?? 0) + 1;
      return false;
    }
    const { messageId } = JSON.parse(answer.text);
    this.acknowledged.push({ lane, number, messageId, sentAt, answeredAt });
    this.lastAcknowledgedAt = answeredAt;
    return true;
  }

  private async produce(node: ClusterServer | undefined): Promise<void> {
    const value = `record ${this.sent}`;
    const body = JSON.stringify({ value });
    const headers = { authorization: basic };
    const answer = await node?.ask('POST', '/produce/rides', { body, headers });
    if (answer?.status !== 200) return;
    const [{ partition, offset }] = [JSON.parse(answer.text)].flat();
    this.produced.push({ partition, offset, value });
  }
}
