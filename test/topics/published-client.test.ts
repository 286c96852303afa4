import { Kafka } from '@upstash/kafka';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
let kafka: Kafka;

beforeAll(async () => {
  server = await startServer();
  kafka = new Kafka({
    url: server.url,
    username: server.credentials.restUsername,
    password: server.credentials.restPassword,
  });
});

afterAll(() => server.remove());

describe('the published log client', () => {
  it('produces one record and fetches it back', async () => {
    const produced = await kafka.producer().produce('rides', 'hello', {
      key: 'k1',
      headers: [{ key: 'src', value: 'cab' }],
    });
    expect(produced).toMatchObject({ topic: 'rides', partition: 2, offset: 0 });
    expect(produced.timestamp).toEqual(expect.any(Number));
    const fetched = await kafka.consumer().fetch({ topic: 'rides', partition: 2, offset: 0 });
    expect(fetched).toEqual([
      {
        topic: 'rides',
        partition: 2,
        offset: 0,
        timestamp: produced.timestamp,
        key: 'k1',
        value: 'hello',
        headers: [{ key: 'src', value: 'cab' }],
      },
    ]);
  });

  it('produces many records over topics, answered in order', async () => {
    const results = await kafka.producer().produceMany([
      { topic: 'bills', value: 'a', partition: 1 },
      { topic: 'trips', value: { json: true }, timestamp: 1_700_000_000_000 },
      { topic: 'bills', value: 'b', partition: 1 },
    ]);
    expect(results).toMatchObject([
      { topic: 'bills', partition: 1, offset: 0 },
      { topic: 'trips', offset: 0, timestamp: 1_700_000_000_000 },
      { topic: 'bills', partition: 1, offset: 1 },
    ]);
    const fetched = await kafka.consumer().fetch({
      topicPartitionOffsets: [
        { topic: 'bills', partition: 1, offset: 1 },
        { topic: 'trips', partition: results[1]?.partition ?? -1, offset: 0 },
      ],
    });
    expect(fetched.map(({ value }) => value)).toEqual(['b', '{"json":true}']);
  });

  it('lists topics and their first, next and timed offsets', async () => {
    await kafka.producer().produce('times', 'early', { partition: 0, timestamp: 1000 });
    await kafka.producer().produce('times', 'late', { partition: 0, timestamp: 2000 });
    const admin = kafka.admin();
    expect(await admin.topics()).toMatchObject({ times: 3 });
    const place = { topic: 'times', partition: 0 };
    const offsets = async (timestamp: number | 'earliest' | 'latest') =>
      (await admin.topicPartitionOffsets({ timestamp, topicPartition: place }))[0]?.offset;
    expect(await offsets('earliest')).toBe(0);
    expect(await offsets('latest')).toBe(2);
    expect(await offsets(1001)).toBe(1);
    expect(await offsets(9999)).toBe(2);
  });
});
