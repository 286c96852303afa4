import { KeylessTurns, partitionOfKey } from '../../../src/topics/produce/partitioner.js';

describe("Kafka's key partitioning", () => {
  // The first six are the vectors that Kafka publishes for murmur2; all were checked against Kafka.
  it.each([
    ['21', 0, 0],
    ['foobar', 0, 6],
    ['a-little-bit-long-string', 2, 8],
    ['a-little-bit-longer-string', 2, 11],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', 2, 5],
    ['abc', 0, 3],
    ['', 0, 9],
    ['city', 1, 7],
    ['k0', 2, 5],
    ['k1', 2, 5],
  ])('sends %j to partition %i of 3 and %i of 12', (key, ofThree, ofTwelve) => {
    expect(partitionOfKey(Buffer.from(key), 3)).toBe(ofThree);
    expect(partitionOfKey(Buffer.from(key), 12)).toBe(ofTwelve);
  });
});

describe('records without a key', () => {
  it('take turns request by request, topic by topic', () => {
    const turns = new KeylessTurns();
    const logs = () => [{}, {}, {}];
    const rides = logs();
    expect([1, 2, 3, 4].map(() => turns.next(rides))).toEqual([0, 1, 2, 0]);
    expect(turns.next(logs())).toBe(0);
  });
});
