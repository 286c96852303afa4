/**
 * Takes pictures of all pages for docs/console, light and dark: `npm run console:pictures`, with
 * names of pages after `--` to take only those. A server of its own gets some work, so that there
 * is something to see. STEPWELL_PICTURES=<folder>x<width> sets another folder and width, such as
 * that of a phone.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { launchBrowser, openConsole, signIn } from '../../support/console/chromium.js';
import { WorkflowApp } from '../../support/workflows/workflow-app.js';
import { PicturedServer } from './pictured-server.js';
import { answers, history, messages, records, settings, workflows } from './work.js';

const documented = join(import.meta.dirname, '../../../docs/console');
const [folder = documented, width = '1280'] = (
  process.env['STEPWELL_PICTURES'] ?? documented
).split(/x(?=\d+$)/);

/** The retries of the failed message take a little less than this. */
const lifeMs = 6000;
/** After this time animations have ended. */
const drawnMs = 1500;
const wanted = process.argv.slice(2);

const endpoint = await RecordingEndpoint.start(answers);
const server = await PicturedServer.start();
const browser = await launchBrowser();
const app = await WorkflowApp.start(server, workflows(endpoint));
await history(server, endpoint, app);
const failed = await messages(server, endpoint);
await wait(drawnMs);
await settings(server, endpoint);
const order = { label: 'orders', retries: 5, retryDelay: '400', workflowRunId: 'order-7' };
const run = await app.trigger('checkout', order);
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
  const viewport = { width: Number(width), height: 800 };
  const { page, close } = await openConsole(browser, server, '/', { colorScheme, viewport });
  // A development server signs in by itself.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  await page.screenshot({ path: join(folder, `sign-in-${colorScheme}.png`) });
  await signIn(page, server.token);
  // The server's clock was moved, so move that of the browser, too.
  await page.clock.install({ time: await server.now() });
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
await server.stop();
process.exit(0);
