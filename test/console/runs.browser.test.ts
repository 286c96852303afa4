import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import type { Page } from 'playwright-core';
import type { RunRow } from '../../src/run-waterfall/lane.js';
import { callApi } from '../support/clients/api-call.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';
import { WorkflowApp } from '../support/workflows/workflow-app.js';

/** A workflow that uses every kind of step and fails once. */
function workflowsFor(thirdParty: () => string) {
  let attempts = 0;
  const child = createWorkflow(async (context) => {
    await context.run('pick', () => 'parcel');
    return 'packed';
  });
  const checkout = createWorkflow(async (context) => {
    await context.run('load user', () => ({ id: 7 }));
    await Promise.all([
      context.run('check card', () => {
        attempts += 1;
        if (attempts === 1) throw new Error('the card service is down');
        return 'ok';
      }),
      context.run('reserve stock', () => 3),
    ]);
    await context.call('ask for fraud', { url: thirdParty(), method: 'POST', body: '{}' });
    await context.sleep('cool down', 1);
    await context.invoke('pack', { workflow: child, body: null });
    await context.waitForEvent('paid', `paid/${context.workflowRunId}`, { timeout: '1h' });
    return `thanks: ${long}`;
  });
  return { checkout, pack: child };
}

interface DrawnBar {
  readonly kind: string;
  readonly outcome: string;
  readonly from: number;
  readonly until: number | null;
  /** In pixels, from the left of the track. */
  readonly left: number;
  readonly width: number;
  readonly track: number;
}

/** Every bar on the page. */
const drawnBars = (page: Page): Promise<readonly DrawnBar[]> =>
  page.locator('ol svg [data-kind]').evaluateAll((bars) =>
    (bars as unknown as { dataset: Record<string, string> }[]).map((bar) => {
      const { kind = '', outcome = '', from, until } = bar.dataset;
      const element = bar as unknown as {
        getBoundingClientRect(): { left: number; width: number };
        ownerSVGElement: { getBoundingClientRect(): { left: number; width: number } };
      };
      const own = element.getBoundingClientRect();
      const track = element.ownerSVGElement.getBoundingClientRect();
      return {
        kind,
        outcome,
        from: Number(from),
        until: until === '' ? null : Number(until),
        left: own.left - track.left,
        width: own.width,
        track: track.width,
      };
    }),
  );

/** More than the listing of runs is asked for. */
const long = 'a long answer '.repeat(50);

describeInChromium('runs and the past in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let app: WorkflowApp;
  let thirdParty: Server;
  let runId: string;

  const open = (path: string, context = {}) => visits.signedIn(server, path, server.token, context);
  const rowsOf = async (): Promise<readonly RunRow[]> => {
    const path = `/v2/workflows/messageLogs?workflowRunId=${runId}&order=earliestFirst`;
    const { body } = await callApi(server, 'GET', path);
    return (body as { events: RunRow[] }).events;
  };
  const runPage = () => `/workflows/${runId}`;

  beforeAll(async () => {
    thirdParty = createServer((_request, response) => response.end('{"score":0.2}'));
    await new Promise<void>((resolve) => thirdParty.listen(0, '127.0.0.1', resolve));
    const { port } = thirdParty.address() as AddressInfo;
    server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
    app = await WorkflowApp.start(
      server,
      workflowsFor(() => `http://127.0.0.1:${port}/fraud`),
    );
    runId = await app.trigger('checkout', { retryDelay: '300' });
  }, browserLimitMs);

  afterAll(async () => {
    await app.stop();
    await server.remove();
    await new Promise((resolve) => thirdParty.close(resolve));
  }, browserLimitMs);

  it(
    'draw bars at the times that the API gives, and can be notified',
    async () => {
      const page = await open(runPage());
      await page
        .locator('p')
        .filter({ hasText: /Why:.*paid/ })
        .waitFor();
      const steps = page.getByRole('list', { name: 'Steps' }).getByRole('button');
      await steps.filter({ hasText: 'paid' }).filter({ hasText: 'waiting' }).waitFor();
      await page.getByRole('button', { name: 'Notify…' }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByLabel('Event').inputValue()).toBe(`paid/${runId}`);
      await dialog.getByLabel('Data').fill('{"amount":5}');
      await dialog.getByRole('button', { name: 'Notify' }).click();
      await page.getByText('succeeded', { exact: true }).waitFor();
      await steps.filter({ hasText: 'end' }).waitFor();

      const rows = await rowsOf();
      const names = await steps.locator('[title]').allTextContents();
      for (const name of ['check card', 'reserve stock', 'ask for fraud', 'cool down', 'pack']) {
        expect(names.filter((each) => each === name)).toEqual([name]);
      }
      const bars = await drawnBars(page);
      for (const { state, time, stepInfo } of rows) {
        if (state !== 'ACTIVE') continue;
        const end = rows.find(
          (row) =>
            row.time >= time &&
            row.stepInfo?.messageId === stepInfo?.messageId &&
            ['DELIVERED', 'ERROR'].includes(row.state),
        );
        const outcome = end?.state === 'ERROR' ? 'failed' : 'ok';
        const expected = { kind: 'attempt', from: time, until: end?.time, outcome };
        expect(bars).toContainEqual(expect.objectContaining(expected));
      }
      const start = rows.find(({ state }) => state === 'RUN_STARTED')?.time ?? 0;
      const last = Math.max(...rows.map(({ time }) => time));
      for (const { kind, from, until, left, width, track } of bars) {
        if (kind === 'stored' || until === null) continue;
        const scale = track / (last - start);
        expect(Math.abs(left - (from - start) * scale)).toBeLessThan(1.5);
        expect(Math.abs(width - Math.max(3, (until - from) * scale))).toBeLessThan(1.5);
      }
      const kinds = new Set(bars.map(({ kind }) => kind));
      expect([...kinds]).toEqual(
        expect.arrayContaining(['attempt', 'retry', 'sleep', 'wait', 'invoke', 'stored']),
      );
      expect(bars.filter(({ outcome }) => outcome === 'failed').length).toBe(1);
    },
    browserLimitMs,
  );

  it(
    'can be viewed back in time by keys, and now again',
    async () => {
      await app.outcome(runId);
      const page = await open('/');
      await page.keyboard.press('g');
      await page.keyboard.press('r');
      await page.waitForURL('**/workflows');
      await page.getByRole('row').filter({ hasText: '/checkout' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/workflows/${runId}`);
      const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
      await steps.filter({ hasText: 'paid' }).waitFor();
      const whole = await steps.count();
      const slider = page.getByRole('slider', { name: 'Moment' });
      await slider.focus();
      await page.keyboard.press('Home');
      await page
        .getByRole('status')
        .filter({ hasText: /^As of \d\d:\d\d:\d\d/ })
        .waitFor();
      expect(await steps.locator('[title]').allTextContents()).toEqual(
        expect.arrayContaining(['init', 'after init']),
      );
      expect(await steps.count()).toBe(2);
      const rows = await rowsOf();
      const moments = [...new Set(rows.map(({ time }) => time))].sort((one, two) => one - two);
      expect(new URL(page.url()).searchParams.get('asOf')).toContain(String(moments[0]));
      await page.keyboard.press('ArrowRight');
      await page.waitForURL((url) => url.search.includes(String(moments[1])));
      expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.waitForURL((url) => !url.search.includes('asOf'));
      expect(await steps.count()).toBe(whole);
    },
    browserLimitMs,
  );

  it(
    'name the step after which a delivery came',
    async () => {
      const page = await open(runPage());
      await page
        .getByRole('list', { name: 'Steps' })
        .getByRole('button', { name: 'load user' })
        .click();
      await page.getByText('delivery after init').first().waitFor();
    },
    browserLimitMs,
  );

  it(
    'show all that a run has returned',
    async () => {
      await app.outcome(runId);
      const page = await open(runPage());
      await page.getByRole('heading', { name: 'Returned' }).waitFor();
      await page
        .locator('pre')
        .filter({ hasText: `thanks: ${long}` })
        .waitFor();
    },
    browserLimitMs,
  );
});
