/** The data in the pictures: an hour of orders, and problems that a person would look for. */
import { setTimeout as wait } from 'node:timers/promises';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import type { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import type { WorkflowApp } from '../../support/workflows/workflow-app.js';
import type { PicturedServer } from './pictured-server.js';

/** The answers of a destination with some bad paths; `/slow` never answers. */
export const answers = ({ url, headers }: { url: string; headers: NodeJS.Dict<unknown> }) => {
  if (url === '/slow') return new Promise<never>(() => undefined);
  if (url.startsWith('/gone')) return { status: 404, body: `no such page: ${url}` };
  const isFirst = !(Number(headers['svc-retried']) > 0);
  if (url === '/flaky' && isFirst) return { status: 503, body: 'one moment' };
  return url === '/broken' ? { status: 500, body: 'out of paper' } : { body: 'thank you' };
};

/** Publishes an order; returns its id. */
async function publish(
  server: PicturedServer,
  { url }: RecordingEndpoint,
  path: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const body = JSON.stringify({ order: path.length, total: 12.5 });
  const all = { 'content-type': 'application/json', ...headers };
  const { body: answer } = await server.call('POST', `/v2/publish/${url}${path}`, all, body);
  return (answer as { messageId: string }).messageId;
}

const minutes = 57;
const labels = ['orders', 'invoices', 'mails'];
/** Wait until the messages of a minute are delivered and counted in that minute. */
const settledMs = 60;

/** Moves the clock a little into the next minute, so that slow work skips none. */
async function nextMinute(server: PicturedServer): Promise<void> {
  const seconds = Math.floor((await server.now()) / 1000) % 60;
  await server.forward(`${62 - seconds}s`);
}

/** An hour of traffic that rises and falls, with some attempts that fail the first time. */
export async function history(
  server: PicturedServer,
  endpoint: RecordingEndpoint,
  app: WorkflowApp,
) {
  for (let minute = 0; minute < minutes; minute += 1) {
    const some = Math.round(7 + 5 * Math.sin(minute / 6) + ((minute * 7) % 5));
    await Promise.all(
      Array.from({ length: some }, (_, index) => {
        const label = labels[(index * minute) % labels.length] ?? 'orders';
        const isFlaky = (index + minute) % 13 === 5;
        const headers = { 'svc-label': label, 'svc-retry-delay': '59000' };
        return publish(server, endpoint, isFlaky ? '/flaky' : `/${label}`, headers);
      }),
    );
    if (minute % 9 === 4) await app.trigger('pack', { workflowRunId: `parcel-${minute}` });
    if (minute === 20) await app.trigger('refund', { retries: 0, workflowRunId: 'order-3' });
    if (minute === 31) await app.trigger('trial', { workflowRunId: 'customer-12' });
    await wait(settledMs);
    await nextMinute(server);
  }
}

/** Messages that fail or succeed, now and later. Returns the id of one that has failed. */
export async function messages(
  server: PicturedServer,
  endpoint: RecordingEndpoint,
): Promise<string> {
  const failed = await publish(server, endpoint, '/broken', {
    'svc-label': 'invoices',
    'svc-retries': '2',
    'svc-retry-delay': '900',
  });
  await publish(server, endpoint, '/broken', { 'svc-label': 'orders', 'svc-retries': '5' });
  for (const label of ['mails', 'orders', 'mails']) {
    await publish(server, endpoint, `/gone/${label}`, { 'svc-label': label, 'svc-retries': '0' });
  }
  await publish(server, endpoint, '/reminder', { 'svc-delay': '2h' });
  await publish(server, endpoint, '/slow', {
    'svc-flow-control-key': 'billing-api',
    'svc-flow-control-value': 'rate=10, period=1m, parallelism=2',
  });
  for (let times = 0; times < 3; times += 1) {
    await server.call('POST', `/v2/enqueue/mails/${endpoint.url}/slow`, {}, 'hello');
  }
  return failed;
}

/** Schedules, endpoints, jobs and a token. */
export async function settings(server: PicturedServer, { url }: RecordingEndpoint): Promise<void> {
  const call = (path: string, headers: Record<string, string>, body: string) =>
    server.call('POST', path, headers, body);
  const report = {
    'svc-cron': 'CRON_TZ=Europe/Berlin 0 9 * * 1-5',
    'svc-schedule-id': 'daily-report',
  };
  await call(`/v2/schedules/${url}/report`, report, '{"report":"daily"}');
  await call('/v2/schedules/daily-report/trigger', {}, '');
  const stock = { 'svc-cron': '*/5 * * * *', 'svc-schedule-id': 'stock-levels' };
  await call(`/v2/schedules/${url}/tick`, stock, 'x');
  const endpoints = [{ name: 'billing', url: `${url}/billing` }, { url: `${url}/stock` }];
  await call('/v2/topics/order-placed/endpoints', {}, JSON.stringify({ endpoints }));
  const cancel = { verb: 'cancel', over: 'messages', filter: { label: 'old' } };
  await call('/v2/jobs', {}, JSON.stringify(cancel));
  const retry = { verb: 'retry', over: 'deadLetters', filter: { label: 'mails' }, rate: '1/h' };
  await call('/v2/jobs', {}, JSON.stringify(retry));
  const deploy = JSON.stringify({ name: 'deploy', role: 'operate' });
  await server.operate('POST', '/admin/tokens', deploy);
}

/** The workflows of a shop; `checkout` runs until it waits for the payment. */
export function workflows({ url }: RecordingEndpoint) {
  let attempts = 0;
  const pack = createWorkflow(async (context) => {
    await context.run('pick', () => 'parcel');
    await context.run('weigh', () => 1.4);
  });
  const refund = createWorkflow(async (context) => {
    await context.run('find payment', () => 'visa');
    await context.run('pay back', () => {
      throw new Error('the card has expired');
    });
  });
  const trial = createWorkflow(async (context) => {
    await context.run('welcome', () => 'sent');
    await context.sleep('two weeks', '14d');
    await context.run('ask for feedback', () => 'sent');
  });
  const checkout = createWorkflow(async (context) => {
    await context.run('load order', () => ({ order: 7 }));
    await Promise.all([
      context.run('check card', () => {
        attempts += 1;
        if (attempts < 3) throw new Error('the card service is down');
        return 'ok';
      }),
      context.run('reserve stock', () => 3),
      context.sleep('cool down', 2),
    ]);
    await context.call('score fraud', { url: `${url}/fraud`, method: 'POST', body: '{}' });
    await context.invoke('pack', { workflow: pack, body: null });
    await context.waitForEvent('paid', `paid/${context.workflowRunId}`, { timeout: '1h' });
  });
  return { checkout, pack, refund, trial };
}

/** A topic with some records and a group that has read a part of them. */
export async function records(server: PicturedServer): Promise<void> {
  await server.operate('POST', '/admin/topics', '{"name":"rides","partitions":3}');
  const values = Array.from({ length: 40 }, (_, index) => ({
    topic: 'rides',
    key: `driver-${index % 7}`,
    value: JSON.stringify({ ride: index, km: (index * 7) % 23 }),
  }));
  const earliest = { 'stream-auto-offset-reset': 'earliest' };
  await server.operate('POST', '/produce', JSON.stringify(values.slice(0, 25)));
  await server.operate('GET', '/consume/billing/one/rides?timeout=1000', undefined, earliest);
  await server.operate('POST', '/commit/billing/one');
  await server.operate('POST', '/produce', JSON.stringify(values.slice(25)));
}
