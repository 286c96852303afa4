/** The published client of NATS JetStream, as the bench calls it. */
import { AckPolicy, connect, StringCodec } from 'nats';

const codec = StringCodec();
const stream = 'bench';
const subject = 'bench.records';
const pageRecords = 500;

export async function open(port) {
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  const client = connection.jetstream();
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: stream, subjects: [subject] });
  let readers = 0;
  return {
    /** Settles when each of them is acknowledged. */
    async produce(count, value) {
      const bytes = codec.encode(value);
      if (count === 1) return client.publish(subject, bytes);
      return Promise.all(Array.from({ length: count }, () => client.publish(subject, bytes)));
    },
    /** A new durable consumer reads `count` records and acknowledges what it was given. */
    async read(count) {
      readers += 1;
      const name = `reader-${readers}`;
      await manager.consumers.add(stream, { durable_name: name, ack_policy: AckPolicy.All });
      const consumer = await client.consumers.get(stream, name);
      const messages = await consumer.consume({ max_messages: pageRecords });
      let seen = 0;
      for await (const message of messages) {
        seen += 1;
        if (seen % pageRecords === 0 || seen === count) message.ack();
        if (seen === count) messages.stop();
      }
      await manager.consumers.delete(stream, name);
    },
    close: () => connection.close(),
  };
}
