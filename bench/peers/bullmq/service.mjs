/** Messages over HTTP, kept by BullMQ. */
import { Queue, Worker } from 'bullmq';
import { deliver, serve, settings } from '../processes/service.mjs';

const connection = { host: '127.0.0.1', port: settings.port, maxRetriesPerRequest: null };
const queue = new Queue('messages', { connection });

const options = (delaySeconds) => ({
  delay: delaySeconds * 1000,
  attempts: 4,
  backoff: { type: 'exponential', delay: 1000 },
  removeOnComplete: true,
});

new Worker('messages', ({ data }) => deliver(data), {
  connection,
  concurrency: settings.parallelism,
});

await serve(async (messages, delaySeconds) => {
  const [message] = messages;
  const opts = options(delaySeconds);
  if (messages.length === 1) return [(await queue.add('message', message, opts)).id];
  const jobs = await queue.addBulk(messages.map((data) => ({ name: 'message', data, opts })));
  return jobs.map(({ id }) => id);
});
