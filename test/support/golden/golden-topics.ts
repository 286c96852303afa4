/** Makes everything that can have happened to topics and their readers happen once. */
import { Engine } from '../../../src/engine/engine.js';
import { RetentionKeeper } from '../../../src/topics/topics/retention-keeper.js';
import { topicKind } from '../../../src/topics/topics/topic.events.js';
import { compactionOf, type TopicState } from '../../../src/topics/topics/topic.state.js';
import type { ManualClock } from '../manual-clock.js';
import type { TestServer } from '../server.js';
import { call } from './golden-folder.js';

type Headers = Record<string, string>;

const hook = 'http://hooks.example.com';
const hour = 3_600_000;
const manual = { 'stream-auto-offset-reset': 'earliest', 'stream-enable-auto-commit': 'false' };

/** How far the clock goes while the folder is written. */
export const elapsedMs = 2 * hour;

/** How long after that what is tried again is tried again. */
export const retryMs = hour;

/** A record as it is fetched and consumed. */
export interface GoldenRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

interface ShownSubscription {
  readonly lag: number;
  readonly partitions: readonly { readonly inFlight?: object }[];
}

/** About 1 KB, so that a few of them fill a small segment. */
const long = (text: string) => `${text} ${'x'.repeat(1000)}`;

export class GoldenTopics {
  constructor(
    private readonly server: TestServer,
    private readonly clock: ManualClock,
  ) {}

  /** `elapsedMs` of the clock pass. */
  async happen(): Promise<void> {
    await this.create('orders', { partitions: 3 });
    await this.records();
    await this.purge();
    await this.retention();
    await this.groups();
    await this.subscriptions();
    await this.drops();
    for (const [name, permissions] of Object.entries({ kept: 'CONSUME', gone: 'ALL' })) {
      const body = { name, topic: permissions === 'ALL' ? '*' : 'orders', permissions };
      await this.ask('POST', '/admin/credentials', body);
    }
    await this.ask('DELETE', '/admin/credentials/gone');
  }

  /** What a client repeats when it has not heard: the answer is the same each time. */
  repeated(): Promise<unknown> {
    const records = ['first', 'second'].map((value) => ({ value, partition: 1 }));
    return this.ask('POST', '/produce/orders', records, { 'idempotency-key': 'order 17' });
  }

  /** What an instance is given next; the headers count where this makes it. */
  async consume(place: string, topics: readonly string[], headers: Headers = manual) {
    const body = { topics, timeout: 0 };
    return (await this.ask('POST', `/consume/${place}`, body, headers)) as GoldenRecord[];
  }

  /** One more record at the end of `orders`. */
  produceOne(): Promise<unknown> {
    return this.ask('POST', '/produce/orders', [{ value: 'd', partition: 2 }]);
  }

  /** All records of these topics, from the oldest on, their bytes in Base64. */
  async fetch(topics: Readonly<Record<string, number>>): Promise<GoldenRecord[]> {
    const topicPartitionOffsets = placesIn(topics).map((place) => ({ ...place, offset: 0 }));
    const body = { topicPartitionOffsets, offsetReset: 'earliest', timeout: 0 };
    const headers = { 'stream-encoding': 'base64' };
    return (await this.ask('POST', '/fetch', body, headers)) as GoldenRecord[];
  }

  /** Settles once a subscription has nothing left to push. */
  async pushedAll(name: string): Promise<void> {
    await this.until(async () => {
      const { lag, partitions } = await this.subscription(name);
      return lag === 0 && partitions.every(({ inFlight }) => inFlight === undefined);
    });
  }

  /** Everything that the server can be asked for; what only lives in memory is left out. */
  async holdings(): Promise<Record<string, unknown>> {
    const topics = (await this.ask('GET', '/topics')) as Record<string, number>;
    const messages = this.engine.actors('message').ids();
    const groups = (await this.ask('GET', '/admin/groups')) as { name: string }[];
    const held: Record<string, unknown> = { records: await this.fetch(topics) };
    for (const path of [
      '/topics',
      '/consumers',
      '/admin/topics',
      ...Object.keys(topics).map((name) => `/admin/topics/${name}`),
      '/admin/groups',
      '/admin/subscriptions',
      '/admin/credentials',
      ...[...messages].sort().map((id) => `/v2/messages/${id}`),
      '/v2/logs?order=earliestFirst&count=1000',
    ]) {
      held[path] = await this.ask('GET', path);
    }
    for (const { name } of groups) {
      const path = `/committed/${name}/any`;
      held[path] = await this.ask('POST', path, placesIn(topics));
      held[`/admin/groups/${name}`] = stored(await this.ask('GET', `/admin/groups/${name}`));
    }
    return held;
  }

  /** Text, bytes, tombstones, headers, times, and a request that was repeated. */
  private async records(): Promise<void> {
    await this.ask('POST', '/produce/orders', [
      {
        partition: 0,
        key: 'Zoë',
        value: 'grüße',
        timestamp: 1_700_000_000_000,
        headers: [
          { key: 'trace', value: 'abc' },
          { key: 'trace', value: null },
        ],
      },
      { partition: 0, key: 'Zoë', value: null },
      { partition: 0, key: '/wA=', value: 'AAH//g==', encoding: 'base64' },
      { partition: 0, value: '' },
      ...['a', 'b', 'c'].map((value) => ({ partition: 2, value })),
    ]);
    await this.repeated();
    await this.repeated();
  }

  private async purge(): Promise<void> {
    await this.create('purged');
    await this.ask('POST', '/produce/purged', ['a', 'b', 'c', 'd', 'e'].map(valued));
    await this.ask('POST', '/admin/topics/purged/purge', { partition: 0, before: 3 });
  }

  /** Records go for their age and for their bytes, and all but the last ones of each key. */
  private async retention(): Promise<void> {
    await this.create('aged', { retentionMs: hour });
    await this.ask('POST', '/produce/aged', ['old', 'older'].map(valued));
    await this.create('sized', { retentionBytes: 20_000 });
    await this.fill('sized', (index) => ({ value: long(`${index}`) }));
    await this.create('latest', { cleanupPolicy: 'compact' });
    await this.fill('latest', (index) => {
      const isTombstone = index % 10 === 9;
      return { key: `key ${index % 5}`, value: isTombstone ? null : long(`${index}`) };
    });
    this.clock.advance(elapsedMs);
    await this.server.application.nest.get(RetentionKeeper, { strict: false }).look();
    const earliest = async (name: string) => {
      const topic = (await this.ask('GET', `/admin/topics/${name}`)) as {
        readonly offsets: readonly { readonly earliest: number }[];
      };
      return topic.offsets[0]?.earliest ?? 0;
    };
    await this.until(async () => (await earliest('aged')) === 2);
    await this.until(async () => (await earliest('sized')) > 0);
    await this.until(async () => {
      const topic = this.engine.actors(topicKind).stateOf('latest') as NonNullable<TopicState>;
      const { begunAt, underWay } = compactionOf(topic, 0);
      return begunAt > 0 && underWay === null;
    });
    await this.ask('POST', '/produce/aged', ['new'].map(valued));
    await this.ask('POST', '/produce/latest', [{ key: 'key 0', value: 'after all' }]);
  }

  /** Four requests with ten records each: more than two small segments. */
  private async fill(topic: string, record: (index: number) => object): Promise<void> {
    for (let from = 0; from < 40; from += 10) {
      const records = Array.from({ length: 10 }, (_, index) => record(from + index));
      await this.ask('POST', `/produce/${topic}`, records);
    }
  }

  private async groups(): Promise<void> {
    await this.create('growing');
    await this.create('doomed');
    await this.ask('POST', '/produce/doomed', ['a', 'b'].map(valued));
    await this.consume('readers/a', ['orders']);
    await this.ask('POST', '/commit/readers/a', [
      { topic: 'orders', partition: 0, offset: 2 },
      { topic: 'orders', partition: 1, offset: 1 },
    ]);
    await this.consume('readers/b', ['orders']);
    await this.consume('readers/b', ['orders', 'growing']);
    await this.ask('PATCH', '/admin/topics/growing', { partitions: 2 });
    await this.consume('readers/c', ['orders']);
    await this.ask('POST', '/delete-consumer/readers/c');
    await this.left('left', ['orders', 'doomed']);
    await this.left('forgotten', ['orders']);
    await this.ask('DELETE', '/admin/groups/forgotten');
    await this.until(async () => {
      return (await call(this.server, 'GET', '/admin/groups/forgotten')).status === 404;
    });
    const latest = { 'stream-auto-offset-reset': 'latest', 'stream-assignment-strategy': 'sticky' };
    await this.consume('waiting/a', ['orders'], latest);
  }

  /** A group whose only instance has read everything, and is gone. */
  private async left(group: string, topics: readonly string[]): Promise<void> {
    const earliest = { 'stream-auto-offset-reset': 'earliest' };
    while ((await this.consume(`${group}/a`, topics, earliest)).length > 0);
    await this.ask('POST', `/delete-consumer/${group}/a`);
  }

  /** One has pushed everything, one waits for its third party, the others do not push. */
  private async subscriptions(): Promise<void> {
    await this.subscribe('delivered', 'orders', { maxRecords: 10, encoding: 'base64' });
    await this.pushedAll('delivered');
    const retries = { 'svc-retries': '5', 'svc-retry-delay': String(retryMs) };
    await this.subscribe('retrying', 'orders', {}, retries);
    await this.until(async () => {
      const { logs } = (await this.ask('GET', '/v2/logs?state=RETRY')) as { logs: unknown[] };
      return logs.length === 3;
    });
    for (const name of ['paused', 'resumed', 'deleted']) {
      await this.subscribe(name, 'growing');
      await this.ask('PATCH', `/admin/subscriptions/${name}/pause`);
    }
    await this.ask('PATCH', '/admin/topics/growing', { partitions: 3 });
    await this.ask('PATCH', '/admin/subscriptions/resumed/resume');
    await this.ask('DELETE', '/admin/subscriptions/deleted');
    await this.subscribe('lost', 'doomed', { from: 'latest' });
    await this.until(async () => (await this.subscription('resumed')).partitions.length === 3);
  }

  private async subscribe(name: string, topic: string, more: object = {}, headers: Headers = {}) {
    const body = { name, topic, destination: `${hook}/${name}`, from: 'earliest', ...more };
    await this.ask('POST', '/admin/subscriptions', body, headers);
  }

  /** One topic is gone, and one is there again under the name of one that is gone. */
  private async drops(): Promise<void> {
    await this.create('again');
    await this.ask('POST', '/produce/again', ['of the first'].map(valued));
    for (const name of ['doomed', 'again']) await this.ask('DELETE', `/admin/topics/${name}`);
    const has = (name: string) => this.engine.actors(topicKind).has(name);
    await this.until(async () => !has('doomed') && !has('again'));
    await this.create('again', { partitions: 2 });
    await this.ask('POST', '/produce/again', ['of the second'].map(valued));
    const isLost = async () => {
      return (await call(this.server, 'GET', '/admin/subscriptions/lost')).status === 404;
    };
    await this.until(isLost);
  }

  private create(name: string, settings: object = {}): Promise<unknown> {
    return this.ask('POST', '/admin/topics', { name, partitions: 1, ...settings });
  }

  private async subscription(name: string): Promise<ShownSubscription> {
    return (await this.ask('GET', `/admin/subscriptions/${name}`)) as ShownSubscription;
  }

  private get engine(): Engine {
    return this.server.application.nest.get(Engine, { strict: false });
  }

  /** What happens after the answer, by and by. */
  private async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  private async ask(method: string, path: string, body?: unknown, headers: Headers = {}) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = await call(this.server, method, path, { ...headers, body: text });
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

const valued = (value: string) => ({ value, partition: 0 });

function placesIn(topics: Readonly<Record<string, number>>) {
  return Object.entries(topics).flatMap(([topic, count]) =>
    Array.from({ length: count }, (_, partition) => ({ topic, partition })),
  );
}

/** A group without when its members were seen, and how far they have read since the start. */
function stored(group: unknown): unknown {
  return JSON.parse(JSON.stringify(group), (name, value: unknown) =>
    name === 'lastSeenAt' || name === 'position' ? undefined : value,
  );
}
