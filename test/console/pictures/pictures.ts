/**
 * Pictures of all pages for docs/console, light and dark: `npm run console:pictures`, with names of
 * pages behind `--` of those alone. A server of its own is given some work, so that there is
 * something to see.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { launchBrowser, openConsole, signIn } from '../support/console/chromium.js';
import { startServer, type TestServer } from '../support/server.js';
import { WorkflowApp } from '../support/workflows/workflow-app.js';

const folder = join(import.meta.dirname, '../../docs/console');

/** Publishes what fails and what does not, now and later; answers a message that has failed. */
async function work(server: TestServer, endpoint: RecordingEndpoint): Promise<string> {
  const publish = async (path: string, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ order: path.length, total: 12.5 });
    const all = { 'content-type': 'application/json', ...headers };
    const target = `/v2/publish/${endpoint.url}${path}`;
    const answer = await callApi(server, 'POST', target, all, body);
    return (answer.body as { messageId: string }).messageId;
  };
  const call = (path: string, headers: Record<string, string>, body: string) =>
    callApi(server, 'POST', path, headers, body);
  for (const label of ['orders', 'invoices', 'mails', 'orders', 'mails', 'orders']) {
    await publish(`/${label}`, { 'svc-label': label });
  }
  const failed = await publish('/broken', {
    'svc-label': 'invoices',
    'svc-retries': '2',
    'svc-retry-delay': '900',
  });
  await publish('/broken', { 'svc-label': 'orders', 'svc-retries': '5' });
  for (const label of ['mails', 'orders', 'mails']) {
    await publish(`/gone/${label}`, { 'svc-label': label, 'svc-retries': '0' });
  }
  await publish('/reminder', { 'svc-delay': '2h' });
  await publish('/slow', {
    'svc-flow-control-key': 'billing-api',
    'svc-flow-control-value': 'rate=10, period=1m, parallelism=2',
  });
  for (let times = 0; times < 3; times += 1) {
    await call(`/v2/enqueue/mails/${endpoint.url}/slow`, {}, 'hello');
  }
  const report = { 'svc-cron': 'CRON_TZ=Europe/Berlin 0 9 * * 1-5' };
  const named = { ...report, 'svc-schedule-id': 'daily-report' };
  await call(`/v2/schedules/${endpoint.url}/report`, named, '{"report":"daily"}');
  await call('/v2/schedules/daily-report/trigger', {}, '');
  await call(`/v2/schedules/${endpoint.url}/tick`, { 'svc-cron': '*/5 * * * *' }, 'x');
  const endpoints = [
    { name: 'billing', url: `${endpoint.url}/billing` },
    { url: `${endpoint.url}/stock` },
  ];
  await call('/v2/topics/order-placed/endpoints', {}, JSON.stringify({ endpoints }));
  await call(
    '/v2/jobs',
    {},
    JSON.stringify({ verb: 'cancel', over: 'messages', filter: { label: 'old' } }),
  );
  const job = { verb: 'retry', over: 'deadLetters', filter: { label: 'mails' }, rate: '1/h' };
  await wait(drawnMs);
  await call('/v2/jobs', {}, JSON.stringify(job));
  const admin = { authorization: server.basic };
  await call('/admin/tokens', admin, JSON.stringify({ name: 'deploy', role: 'operate' }));
  return failed;
}

/** An order that has been checked out as far as its payment. */
async function runs(
  server: TestServer,
  endpoint: RecordingEndpoint,
): Promise<[WorkflowApp, string]> {
  let attempts = 0;
  const pack = createWorkflow(async (context) => {
    await context.run('pick', () => 'parcel');
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
    await context.call('score fraud', { url: `${endpoint.url}/fraud`, method: 'POST', body: '{}' });
    await context.invoke('pack', { workflow: pack, body: null });
    await context.waitForEvent('paid', `paid/${context.workflowRunId}`, { timeout: '1h' });
  });
  const app = await WorkflowApp.start(server, { checkout, pack });
  const options = { label: 'orders', retries: 5, retryDelay: '400' };
  return [app, await app.trigger('checkout', { ...options, workflowRunId: 'order-7' })];
}

/** A topic with some records and a group that has read a part of them. */
async function records(server: TestServer): Promise<void> {
  const admin = { authorization: server.basic };
  await callApi(server, 'POST', '/admin/topics', admin, '{"name":"rides","partitions":3}');
  const values = Array.from({ length: 40 }, (_, index) => ({
    topic: 'rides',
    key: `driver-${index % 7}`,
    value: JSON.stringify({ ride: index, km: (index * 7) % 23 }),
  }));
  const earliest = { ...admin, 'stream-auto-offset-reset': 'earliest' };
  await callApi(server, 'POST', '/produce', admin, JSON.stringify(values.slice(0, 25)));
  await callApi(server, 'GET', '/consume/billing/one/rides?timeout=1000', earliest);
  await callApi(server, 'POST', '/commit/billing/one', admin);
  await callApi(server, 'POST', '/produce', admin, JSON.stringify(values.slice(25)));
}

/** What a destination with two bad paths answers; an answer of `/slow` is never given. */
const answers = ({ url }: { readonly url: string }) => {
  if (url === '/slow') return new Promise<never>(() => undefined);
  if (url.startsWith('/gone')) return { status: 404, body: `no such page: ${url}` };
  return url === '/broken' ? { status: 500, body: 'out of paper' } : { body: 'thank you' };
};

/** So long the retries of the failed message take, and a little more. */
const lifeMs = 6000;
const wanted = process.argv.slice(2);
/** Until what is drawn stands still. */
const drawnMs = 1500;

const endpoint = await RecordingEndpoint.start(answers);
const server = await startServer();
const browser = await launchBrowser();
const failed = await work(server, endpoint);
const [app, run] = await runs(server, endpoint);
await records(server);
await mkdir(folder, { recursive: true });
await wait(lifeMs);
const pages: Readonly<Record<string, string>> = {
  overview: '/',
  messages: '/messages',
  message: `/messages/${failed}`,
  workflows: '/workflows',
  run: `/workflows/${run}`,
  topics: '/topics',
  topic: '/topics/rides',
  'time-machine': '/time-machine',
  schedules: '/schedules',
  schedule: '/schedules/daily-report',
  queues: '/queues',
  endpoints: '/endpoints',
  'dead-letters': '/dead-letters',
  jobs: '/jobs',
  compare: `/time-machine?stream=message/${failed}`,
  settings: '/settings',
  reference: '/../docs#postV2Jobs',
};
for (const colorScheme of ['light', 'dark'] as const) {
  const { page, close } = await openConsole(browser, server, '/', { colorScheme });
  await page.getByLabel('Token').waitFor();
  await page.screenshot({ path: join(folder, `sign-in-${colorScheme}.png`) });
  await signIn(page, server.token);
  for (const [name, path] of Object.entries(pages)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await page.goto(new URL(`${server.url}/console${path}`).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await wait(drawnMs);
    const loading = page.getByRole('status', { name: 'Loading' });
    while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await close();
}
await browser.close();
await app.stop();
await endpoint.stop();
await server.remove();
process.exit(0);
