import { Kafka } from '@upstash/kafka';
import { startServer, type TestServer } from '../../support/server.js';

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

  it('produces many records to several topics, answered in order', async () => {
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

  it('consumes in a group: the call that joins gets records, and is listed at once', async () => {
    await kafka.producer().produceMany([
      { topic: 'orders', value: 'a', partition: 0 },
      { topic: 'orders', value: 'b', partition: 1 },
      { topic: 'orders', value: 'c', partition: 0 },
    ]);
    const consumer = kafka.consumer();
    const request = {
      consumerGroupId: 'shippers',
      instanceId: 'first',
      topics: ['orders'],
      autoOffsetReset: 'earliest' as const,
    };
    const messages = await consumer.consume(request);
    expect(messages.map(({ value }) => value).sort()).toEqual(['a', 'b', 'c']);
    expect(await kafka.admin().consumers()).toContainEqual({
      name: 'shippers',
      instances: [{ name: 'first', topics: [{ topic: 'orders', partitions: [0, 1, 2] }] }],
    });
    expect(await consumer.consume({ ...request, timeout: 0 })).toEqual([]);
  });

  it('sees a record that is produced while it waits', async () => {
    const request = { consumerGroupId: 'waiting', instanceId: 'one', topics: ['alerts'] };
    const consumer = kafka.consumer();
    expect(await consumer.consume({ ...request, timeout: 0 })).toEqual([]);
    const waiting = consumer.consume({ ...request, timeout: 30_000 });
    await kafka.producer().produce('alerts', 'now');
    expect((await waiting).map(({ value }) => value)).toEqual(['now']);
  });

  it('commits an exact offset or everything it was given, and reads no offset as -1', async () => {
    await kafka
      .producer()
      .produceMany(['a', 'b', 'c'].map((value) => ({ topic: 'ledger', value, partition: 0 })));
    const consumer = kafka.consumer();
    const place = { consumerGroupId: 'clerks', instanceId: 'one' };
    const messages = await consumer.consume({
      ...place,
      topics: ['ledger'],
      autoOffsetReset: 'earliest',
      autoCommit: false,
    });
    expect(messages).toHaveLength(3);
    const committed = async () =>
      (
        await kafka.admin().committedOffsets({
          ...place,
          topicPartitions: [
            { topic: 'ledger', partition: 0 },
            { topic: 'ledger', partition: 1 },
          ],
        })
      ).map(({ offset }) => offset);
    expect(await committed()).toEqual([-1, -1]);
    await consumer.commit({ ...place, offset: { topic: 'ledger', partition: 0, offset: 1 } });
    expect(await committed()).toEqual([1, -1]);
    await consumer.commit({
      ...place,
      offset: [
        { topic: 'ledger', partition: 0, offset: 2 },
        { topic: 'ledger', partition: 1, offset: 0 },
      ],
    });
    expect(await committed()).toEqual([2, 0]);
    await consumer.commit(place);
    expect(await committed()).toEqual([3, 0]);
    expect(
      await consumer.committed({ ...place, topicPartitions: [{ topic: 'ledger', partition: 0 }] }),
    ).toEqual([{ topic: 'ledger', partition: 0, offset: 3 }]);
  });

  it('commits right after its first call, which returned nothing', async () => {
    const consumer = kafka.consumer();
    const place = { consumerGroupId: 'early', instanceId: 'one' };
    await consumer.consume({ ...place, topics: ['dawn'], timeout: 0 });
    await consumer.commit({ ...place, offset: { topic: 'dawn', partition: 2, offset: 0 } });
    expect(
      await consumer.committed({ ...place, topicPartitions: [{ topic: 'dawn', partition: 2 }] }),
    ).toEqual([{ topic: 'dawn', partition: 2, offset: 0 }]);
  });

  it('removes an instance, whose partitions go to the others', async () => {
    const consumer = kafka.consumer();
    const take = (instanceId: string) =>
      consumer.consume({ consumerGroupId: 'pair', instanceId, topics: ['seats'], timeout: 0 });
    await take('a');
    await take('b');
    const assignments = async () => {
      const groups = await kafka.admin().consumers();
      return groups.find(({ name }) => name === 'pair')?.instances;
    };
    expect(await assignments()).toEqual([
      { name: 'a', topics: [{ topic: 'seats', partitions: [0, 1] }] },
      { name: 'b', topics: [{ topic: 'seats', partitions: [2] }] },
    ]);
    await kafka.admin().removeConsumerInstance('pair', 'a');
    expect(await assignments()).toEqual([
      { name: 'b', topics: [{ topic: 'seats', partitions: [0, 1, 2] }] },
    ]);
  });
});
