import { createWorkflow } from '@upstash/workflow/cloudflare';
import type { Page } from 'playwright-core';
import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { findings, ofColors } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';
import { WorkflowApp } from '../support/workflows/workflow-app.js';

/** For every path of the router, one address that shows some data. */
let paths: readonly string[];

describeInChromium('every page in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;
  let app: WorkflowApp;

  const open = (token: string, context = {}) => visits.signedIn(server, '/', token, context);
  /** Loads the page and waits until each of its parts has its data. */
  const load = async (page: Page, path: string) => {
    await page.goto(`${server.url}/console${path}`);
    await settled(page);
  };
  /** Goes to a page as a link in the console does, without loading the document again. */
  const follow = async (page: Page, path: string) => {
    const address = new URL(`${server.url}/console${path}`);
    // A page that only shows other data keeps its heading, so load it.
    if (new URL(page.url()).pathname === address.pathname) return load(page, path);
    await page.evaluate(`
      document.querySelector('h1').id = 'left';
      history.pushState(null, '', ${JSON.stringify(address.href)});
    `);
    await page.locator('#left').waitFor({ state: 'detached' });
    await settled(page);
  };
  const settled = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    const loading = page.getByRole('status', { name: 'Loading' });
    while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
  };

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(() => ({ status: 500, body: 'out of paper' }));
    server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
    const wait = createWorkflow(async (context) => {
      await context.run('first', () => 1);
      await context.waitForEvent('second', 'second', { timeout: '1h' });
    });
    app = await WorkflowApp.start(server, { wait });
    const run = await app.trigger('wait', {});
    const call = async (path: string, headers: Record<string, string> = {}, body = 'x') =>
      (await callApi(server, 'POST', path, headers, body)).body as { messageId: string };
    const target = `/v2/publish/${endpoint.url}`;
    await call(`${target}/dead`, { 'upstash-retries': '0' });
    await call(`/v2/enqueue/mails/${endpoint.url}/queued`, { 'upstash-delay': '1h' });
    const cron = { 'upstash-cron': '0 9 * * 1-5', 'upstash-schedule-id': 'nine' };
    await call(`/v2/schedules/${endpoint.url}/tick`, cron);
    await call('/v2/schedules/nine/trigger');
    const long = 'a-name-that-goes-on'.repeat(5);
    const named = { ...cron, 'upstash-schedule-id': long };
    await call(`/v2/schedules/${endpoint.url}/${long}`, named);
    const endpoints = JSON.stringify({ endpoints: [{ name: long, url: `${endpoint.url}/group` }] });
    await call('/v2/topics/orders/endpoints', {}, endpoints);
    const flow = {
      'upstash-flow-control-key': 'api',
      'upstash-flow-control-value': 'parallelism=1',
    };
    const { messageId } = await call(`${target}/flow`, { ...flow, 'upstash-delay': '1h' });
    const basic = { authorization: server.basic };
    await call('/admin/topics', basic, '{"name":"rides","partitions":2}');
    await call('/produce', basic, '[{"topic":"rides","value":"hello"}]');
    const job = { verb: 'retry', over: 'deadLetters', filter: { label: 'none' } };
    await call('/v2/jobs', {}, JSON.stringify(job));
    paths = [
      ...['/', '/messages', `/messages/${messageId}`, '/workflows', `/workflows/${run}`],
      ...['/schedules', '/schedules/nine', '/queues', '/endpoints', '/jobs'],
      ...['/dead-letters', '/dead-letters?of=runs', '/topics', '/topics/rides', '/settings'],
      ...['/time-machine', `/time-machine?stream=message/${messageId}`],
    ];
  }, browserLimitMs);

  afterAll(async () => {
    await app.stop();
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'has no findings of axe, neither in light nor in dark colours',
    async () => {
      const page = await open(server.token);
      for (const path of paths) {
        await follow(page, path);
        await page.emulateMedia({ colorScheme: 'light' });
        expect([path, await findings(page)]).toEqual([path, []]);
        // The light and the dark theme differ only in their colours.
        await page.emulateMedia({ colorScheme: 'dark' });
        expect([path, await findings(page, ofColors)]).toEqual([path, []]);
      }
    },
    browserLimitMs,
  );

  it(
    'is no wider than a phone',
    async () => {
      const page = await open(server.token, { viewport: { width: 390, height: 844 } });
      for (const path of paths) {
        await load(page, path);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect([path, width]).toEqual([path, 390]);
      }
    },
    browserLimitMs,
  );

  it(
    'makes no forbidden request with a read-only token, and has no enabled button for changes',
    async () => {
      const page = await open(server.readToken);
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
      });
      const words = /^(Cancel|Publish|Retry|Delete|Pause|Resume|Trigger|Restart|Notify|Deliver)/;
      for (const path of paths) {
        await follow(page, path);
        const buttons = page.getByRole('main').getByRole('button', { name: words });
        for (const button of await buttons.all()) {
          const name = await button.textContent();
          expect([path, name, await button.isDisabled()]).toEqual([path, name, true]);
        }
      }
      expect(refused).toEqual([]);
    },
    browserLimitMs,
  );

  it(
    'is left by the keys that lead to other pages',
    async () => {
      const page = await open(server.token);
      const keys = ['m', 'r', 's', 'q', 'e', 'd', 'j', 't', 'h', ',', 'o'];
      for (const key of keys) {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        const link = page.locator('nav a[aria-current=page]');
        const heading = page.getByRole('heading', { level: 1 });
        await heading.filter({ hasText: (await link.textContent()) ?? '' }).waitFor();
      }
      const nav = page.getByRole('navigation', { name: 'Pages' });
      expect(await nav.getByRole('link').count()).toBe(keys.length);
    },
    browserLimitMs,
  );
});
