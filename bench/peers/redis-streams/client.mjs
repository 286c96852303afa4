/** ioredis on one stream of Redis, as the bench calls it. */
import { Redis } from 'ioredis';

const stream = 'bench';
const pageRecords = 500;

export async function open(port) {
  const redis = new Redis({ port, host: '127.0.0.1' });
  let readers = 0;
  return {
    /** Settles when each of them is acknowledged; more than one go in one pipeline. */
    async produce(count, value) {
      if (count === 1) return redis.xadd(stream, '*', 'value', value);
      const pipeline = redis.pipeline();
      for (let number = 0; number < count; number += 1) pipeline.xadd(stream, '*', 'value', value);
      const answers = await pipeline.exec();
      const refused = answers.find(([error]) => error !== null);
      if (refused !== undefined) throw refused[0];
    },
    /** A new group reads `count` records and acknowledges each page. */
    async read(count) {
      readers += 1;
      const group = `group-${readers}`;
      await redis.xgroup('CREATE', stream, group, '0');
      const page = ['GROUP', group, 'reader', 'COUNT', pageRecords, 'STREAMS', stream, '>'];
      for (let seen = 0; seen < count; ) {
        const [[, entries]] = await redis.xreadgroup(...page);
        seen += entries.length;
        await redis.xack(stream, group, ...entries.map(([id]) => id));
      }
      await redis.xgroup('DESTROY', stream, group);
    },
    close: async () => redis.disconnect(),
  };
}
