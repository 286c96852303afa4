/**
 * Measures the console with much data: `npm run console:measure`, with a number of messages after
 * `--`. Its output is for the README of the console; no test depends on it.
 */
import { createWorkflow } from '@upstash/workflow/cloudflare';
import { callApi } from '../support/clients/api-call.js';
import { launchBrowser, openConsole, signIn } from '../support/console/chromium.js';
import { startServer, type TestServer } from '../support/server.js';
import { WorkflowApp } from '../support/workflows/workflow-app.js';

const messages = Number(process.argv[2] ?? 100_000);
const batchSize = 100;
const callsAtOnce = 8;

/** Publishes messages that are delayed for an hour, and starts runs whose first delivery is. */
async function fill(server: TestServer, app: WorkflowApp): Promise<void> {
  const send = async (path: string, items: readonly object[]) => {
    const type = { 'content-type': 'application/json' };
    await callApi(server, 'POST', path, type, JSON.stringify(items));
  };
  const message = { destination: 'http://127.0.0.1:9/x', headers: { 'Upstash-Delay': '1h' } };
  const run = { destination: app.urlOf('wait'), headers: { 'Upstash-Delay': '1h' } };
  const rounds = Math.ceil(messages / batchSize / callsAtOnce);
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      Array.from({ length: callsAtOnce }, async () => {
        await send('/v2/batch', new Array(batchSize).fill(message));
        await send('/v2/batch/trigger', new Array(batchSize).fill(run));
      }),
    );
  }
}

const server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
const app = await WorkflowApp.start(server, { wait: createWorkflow(async () => undefined) });
await fill(server, app);
const browser = await launchBrowser();
const { page, close } = await openConsole(browser, server, '/');
await signIn(page, server.token);
const figures: Record<string, string>[] = [];
for (const [path = '', label = ''] of [
  ['/', ''],
  ['/messages', 'Messages'],
  ['/messages?state=pending', 'Messages'],
  ['/workflows', 'Runs'],
]) {
  const began = Date.now();
  await page.goto(`${server.url}/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const shownMs = Date.now() - began;
  if (label !== '')
    await page.getByRole('table', { name: label }).locator('tbody tr').nth(5).waitFor();
  const rowsMs = Date.now() - began;
  const scrolled = label === '' ? '' : await scroll();
  figures.push({
    page: path,
    'shown, ms': String(shownMs),
    'rows, ms': String(rowsMs),
    scrolled,
  });
}
console.table(figures);
await close();
await browser.close();
await app.stop();
await server.remove();
process.exit(0);

/** Scrolls down for 200 frames: how many frames took long, and how many rows are loaded. */
async function scroll(): Promise<string> {
  const answer = await page.evaluate(`(async () => {
    const frames = [];
    let last = performance.now();
    for (let frame = 0; frame < 200; frame += 1) {
      window.scrollBy(0, 400);
      await new Promise(requestAnimationFrame);
      frames.push(performance.now() - last);
      last = performance.now();
    }
    frames.sort((one, two) => one - two);
    const rows = document.querySelectorAll('table')[0].getAttribute('aria-rowcount');
    const drawn = document.querySelectorAll('tbody tr').length;
    return rows + ' rows, ' + drawn + ' drawn, frames p50 ' + Math.round(frames[100]) +
      ' ms, p99 ' + Math.round(frames[198]) + ' ms';
  })()`);
  return String(answer);
}
