/** Records that are produced, read where they were acknowledged, and pushed by a subscription. */
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { Clients } from './clients.js';
import { textOf } from './expected.js';
import type { Sink } from './sink.js';

const topic = 'soaked';

/** Retention by size removes what was not pushed, too: so many records are far from that. */
const unpushedMax = 300;

export class TopicLoad {
  readonly found = { records: 0, consumed: 0 };
  private number = 0;

  constructor(
    private readonly clients: Clients,
    private readonly sink: Sink,
    private readonly random: SeededRandom,
  ) {}

  async begin(): Promise<void> {
    const { clients, sink } = this;
    const retentions = { retentionMs: 600_000, retentionBytes: 1024 ** 2 };
    await clients.ask('POST', '/admin/topics', { name: topic, partitions: 2, ...retentions });
    const subscription = {
      name: topic,
      topic,
      destination: `${sink.url}/records/`,
      maxRecords: 10,
    };
    const headers = { 'svc-retries': '1000', 'svc-retry-delay': '100' };
    await clients.ask('POST', '/admin/subscriptions', subscription, headers);
  }

  async act(): Promise<void> {
    if (this.random.chance(0.1)) await this.consume();
    else if (this.sink.records.missing.length < unpushedMax) await this.produce();
  }

  private async produce(): Promise<void> {
    const { clients, sink } = this;
    const numbers = Array.from({ length: 1 + this.random.below(4) }, () => {
      this.number += 1;
      return this.number;
    });
    const records = numbers.map((number) => ({ value: textOf(number) }));
    const produced = await clients.ask('POST', `/produce/${topic}`, records);
    if (produced === null) return;
    for (const number of numbers) sink.records.acknowledge(number);
    const [place] = produced.body as { partition: number; offset: number }[];
    if (place === undefined || this.random.chance(0.5)) return;
    const { partition, offset } = place;
    const asked = { topic, partition, offset, timeout: 0 };
    const fetched = await clients.ask('POST', '/fetch', asked);
    if (fetched === null) return;
    const [record] = fetched.body as { offset: number; value: string }[];
    if (record?.offset === offset && record.value === textOf(numbers[0] ?? 0)) {
      this.found.records += 1;
    } else clients.failures.push(`${partition}/${offset} is ${JSON.stringify(record)}`);
  }

  /** Instances come and go, so that their group has a long life. */
  private async consume(): Promise<void> {
    const { clients, random } = this;
    const instance = `/readers/instance-${random.below(3)}`;
    const read = await clients.try('POST', `/consume${instance}`, { topic, timeout: 0 });
    if (read?.status === 200) this.found.consumed += (read.body as unknown[]).length;
    await clients.try('DELETE', `/delete-consumer${instance}`);
  }
}
