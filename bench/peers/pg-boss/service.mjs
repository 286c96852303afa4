/** Messages over HTTP, kept by pg-boss. */
import { PgBoss } from 'pg-boss';
import { deliver, serve, settings } from '../processes/service.mjs';

const name = 'messages';
const boss = new PgBoss({
  host: '127.0.0.1',
  port: settings.port,
  user: 'postgres',
  database: 'postgres',
  max: 20,
  useListenNotify: true,
});
boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
await boss.start();
await boss.createQueue(name, { notify: true, retryLimit: 3, retryBackoff: true });

// As many at once as the others have: eight batches of eight.
const batchSize = Math.sqrt(settings.parallelism);
const how = {
  batchSize,
  localConcurrency: batchSize,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 0.5,
  burstWhenBatchFull: true,
};
await boss.work(name, how, (jobs) => Promise.all(jobs.map(({ data }) => deliver(data))));

await serve(async (messages, delaySeconds) => {
  const [message] = messages;
  const startAfter = delaySeconds;
  if (messages.length === 1) return [await boss.send(name, message, { startAfter })];
  const jobs = messages.map((data) => ({ data, startAfter }));
  return boss.insert(name, jobs, { returnId: true });
});
