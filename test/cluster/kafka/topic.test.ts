import {
  type DescribedTopic,
  newTopic,
  requiredSettings,
  unfitReasons,
} from '../../../src/cluster/kafka/topic.js';

const fit: DescribedTopic = {
  partitions: 1,
  replicas: 3,
  settings: new Map([
    ...newTopic.settings.map(({ name, value }) => [name, value] as const),
    // The defaults of brokers.
    ['max.message.bytes', '1048588'],
    ['compression.type', 'producer'],
  ]),
};
const withSetting = (name: string, value: string) =>
  unfitReasons({ ...fit, settings: new Map([...fit.settings, [name, value]]) });

describe('a topic that holds a shared log', () => {
  it('is fit if it is like a topic that is created for it', () => {
    expect(unfitReasons(fit)).toEqual([]);
    expect(unfitReasons({ ...fit, replicas: 5 })).toEqual([]);
    expect(withSetting('min.insync.replicas', '3')).toEqual([]);
    expect(withSetting('compression.type', 'uncompressed')).toEqual([]);
  });

  it.each([
    ['min.insync.replicas', '1', 'at least 2: one broker alone must not acknowledge.'],
    ['unclean.leader.election.enable', 'true', 'false: a broker that lacks acknowledged'],
    ['cleanup.policy', 'compact', 'delete: compaction removes'],
    ['cleanup.policy', 'compact,delete', 'delete: compaction removes'],
    ['retention.ms', '604800000', '-1: only Stepwell knows'],
    ['retention.bytes', '1073741824', '-1: only Stepwell knows'],
    ['max.message.bytes', '900000', 'at least 922624: an entry may be that large.'],
    ['message.timestamp.type', 'CreateTime', 'LogAppendTime: the time of an entry'],
    ['compression.type', 'zstd', 'producer or uncompressed: not every Node.js'],
  ])('does not have %s %s', (name, value, because) => {
    const [reason, ...others] = withSetting(name, value);
    expect(reason).toContain(`${name} is ${value} and must be ${because}`);
    expect(others).toEqual([]);
  });

  it('has one partition, three replicas, and settings that the brokers report', () => {
    expect(unfitReasons({ partitions: 3, replicas: 1, settings: new Map() })).toEqual([
      'It has 3 partitions and must have one, which gives one order.',
      'It has 1 replicas and must have at least three, so that one may be away.',
      ...requiredSettings.map((name) =>
        expect.stringContaining(`do not report ${name}, which must be`),
      ),
    ]);
  });
});
