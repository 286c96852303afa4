/** What happens in a month, in equal parts: publishes of many kinds, runs, records. */
import { batchSize } from '../load/message-batches.js';
import { origin } from './month-endpoints.js';
import type { MonthServer } from './month-server.js';

/** Of those that wait, every other one is canceled. */
const waits = 17;
const canceled = 100 + waits;

/** Of a hundred messages, one each. */
const special: Readonly<Record<number, (number: number) => Item>> = {
  7: () => ({ destination: `${origin}/dead` }),
  [waits]: () => ({ destination: `${origin}/ok`, headers: { 'upstash-delay': '3d' } }),
  27: () => ({ destination: `${origin}/ok`, headers: { 'upstash-label': 'seldom' } }),
  37: (number) => ({
    destination: `${origin}/ok`,
    headers: { 'upstash-deduplication-id': `message ${number}` },
  }),
  47: () => ({
    destination: `${origin}/ok`,
    headers: { 'upstash-callback': `${origin}/ok/callback` },
  }),
  57: (number) => ({
    destination: `${origin}/ok`,
    headers: {
      'upstash-flow-control-key': `customer-${number % 1000}`,
      'upstash-flow-control-value': 'parallelism=10',
    },
  }),
  67: () => ({ destination: `${origin}/ok`, queue: 'orders' }),
  77: () => ({ destination: `${origin}/flaky`, headers: { 'upstash-retries': '3' } }),
  87: () => ({ destination: 'group' }),
};

/** A run begins with each of so many messages: their second steps are not the same. */
const messagesPerRun = 100;
const runsPerRound = 20;
function runKindOf(number: number): 'fails' | 'invokes' | 'sleeps' | 'waits' {
  const place = number % runsPerRound;
  if (place === 0) return 'fails';
  if (place < 4) return 'invokes';
  return place < 9 ? 'waits' : 'sleeps';
}

/** A record of a topic for each of so many messages. */
const messagesPerRecord = 4;
const topic = 'events';
const recordText = 'r'.repeat(500);
const instance = 'readers/one';

const schedules = 20;

interface Item {
  readonly destination: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly queue?: string;
}

/** What a batch answers to one item. */
type Accepted = { readonly messageId?: string } | { readonly error: string };

export class MonthLoad {
  private number = 0;
  /** Events that runs wait for. */
  private readonly toNotify: string[] = [];
  private readonly toCancel: string[] = [];

  constructor(private readonly server: MonthServer) {}

  /** What there is before the month: it lives for years. */
  async begin(): Promise<void> {
    const { server } = this;
    for (let number = 0; number < schedules; number += 1) {
      const headers = {
        'upstash-cron': number % 2 === 0 ? '* * * * *' : '0 * * * *',
        'upstash-schedule-id': `schedule-${number}`,
      };
      await server.ask('POST', `/v2/schedules/${origin}/ok`, 'on time', headers);
    }
    await server.ask('POST', '/v2/queues', { queueName: 'orders', parallelism: 10 });
    const endpoints = [{ url: `${origin}/ok/first` }, { url: `${origin}/ok/second` }];
    await server.ask('POST', '/v2/topics/group/endpoints', { endpoints });
    await server.ask('POST', '/admin/topics', { name: topic, partitions: 2 });
    await server.ask('POST', `/consume/${instance}`, { topic, timeout: 0 });
  }

  /**
   * The next `count` messages, with what goes with them, and what ends of what came before; all of
   * it was taken when this settles.
   */
  async publish(count: number): Promise<void> {
    const numbers = Array.from({ length: count }, () => this.next());
    await this.endEarlier();
    for (let first = 0; first < count; first += batchSize) {
      await this.publishBatch(numbers.slice(first, first + batchSize));
    }
    await Promise.all(numbers.filter((number) => number % messagesPerRun === 0).map(this.startRun));
    await this.produce(numbers.filter((number) => number % messagesPerRecord === 0));
  }

  private async publishBatch(numbers: readonly number[]): Promise<void> {
    const items = numbers.map((number) => itemOf(number));
    const answers: readonly Accepted[] = await this.server.ask('POST', '/v2/batch', items);
    for (const [index, answer] of answers.entries()) {
      if ('error' in answer) throw new Error(`a publish was refused: ${JSON.stringify(answer)}`);
      const isCanceled = (numbers[index] ?? 0) % 200 === canceled;
      if (isCanceled && answer.messageId !== undefined) this.toCancel.push(answer.messageId);
    }
  }

  private readonly startRun = async (number: number): Promise<void> => {
    const kind = runKindOf(number / messagesPerRun);
    const runId = `wfr_${number}-${kind}`;
    if (kind === 'waits') this.toNotify.push(`go-${runId}`);
    await this.server.requests.start(runId, `"${bodyOf(number)}"`);
  };

  private async produce(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    const { server } = this;
    const records = numbers.map((number) => ({
      key: `customer ${number % 1000}`,
      value: `${number} ${recordText}`,
    }));
    await server.ask('POST', `/produce/${topic}`, records);
    await server.ask('POST', `/consume/${instance}`, { topic, timeout: 0 });
  }

  /** Waits that are notified, and messages that wait no longer. */
  private async endEarlier(): Promise<void> {
    const { server } = this;
    for (const event of this.toNotify.splice(0)) await server.ask('POST', `/v2/notify/${event}`, 1);
    for (const id of this.toCancel.splice(0)) await server.ask('DELETE', `/v2/messages/${id}`, {});
  }

  private next(): number {
    this.number += 1;
    return this.number;
  }
}

function itemOf(number: number): Item & { readonly body: string } {
  const item = special[number % 100]?.(number) ?? { destination: `${origin}/ok` };
  return { ...item, body: bodyOf(number) };
}

/** From 200 to 1,500 bytes, as the number says. */
const bodyOf = (number: number) => 'b'.repeat(200 + ((number * 37) % 1300));
