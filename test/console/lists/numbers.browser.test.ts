import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-api.js';
import { browserLimitMs, describeInChromium } from '../../support/console/chromium.js';
import { visitsInChromium } from '../../support/console/visits.js';
import { startServer, type TestServer } from '../../support/server.js';

const later = { 'svc-delay': '1h' };
/** Listings have at most 500 messages. */
const many = 503;

describeInChromium('numbers of lists in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;

  const publish = (label: string, number: number) => {
    const headers = { ...later, 'svc-label': label };
    const batch = Array.from({ length: number }, () => ({
      destination: 'https://example.com/',
      headers,
    }));
    return callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(batch));
  };

  beforeAll(async () => {
    server = await startServer();
    for (let sent = 0; sent < many; sent += 100) {
      const { status } = await publish('many', Math.min(100, many - sent));
      expect(status).toBe(200);
    }
  }, browserLimitMs);

  afterAll(() => server.remove(), browserLimitMs);

  it(
    'count all pending messages, and of those that match a filter as many as are listed',
    async () => {
      const page = await visits.signedIn(server, '/messages');
      const states = page.getByRole('group', { name: 'States' });
      await states.getByRole('button', { name: new RegExp(`^pending ${many}$`) }).waitFor();
      await states.getByRole('button', { name: new RegExp(`^delayed ${many}$`) }).waitFor();
      await states.getByRole('button', { name: /^in flight 0$/ }).waitFor();
      await page.getByLabel('Label').fill('many');
      await states.getByRole('button', { name: /^delayed 500\+$/ }).waitFor();
      await states.getByRole('button', { name: /^in flight$/ }).waitFor();
    },
    browserLimitMs,
  );

  it(
    'are not shown as zero while outcomes are counted',
    async () => {
      const page = await visits.signedIn(server, '/jobs');
      let count: () => void = () => undefined;
      const counting = new Promise<void>((resolve) => {
        count = resolve;
      });
      await page.route(/logs\/counts.*bucket/, async (route) => {
        await counting;
        await route.continue();
      });
      await page.getByRole('link', { name: 'Messages' }).click();
      await page.getByText('– delivered').waitFor();
      count();
      await page.getByText('0 delivered').waitFor();
    },
    browserLimitMs,
  );

  it(
    'are loaded again when a job has ended',
    async () => {
      await publish('doomed', 3);
      const page = await visits.signedIn(server, '/jobs');
      // After a slow answer, the page counts again by itself only long after this test.
      await page.route(/v2\/messages\?.*count=500/, async (route) => {
        const response = await route.fetch();
        await new Promise((resolve) => setTimeout(resolve, 5000));
        await route.fulfill({ response });
      });
      await page.goto(`${server.url}/console/messages?label=doomed&state=pending`);
      const states = page.getByRole('group', { name: 'States' });
      await states.getByRole('button', { name: /^pending 3$/ }).waitFor();
      await page.getByRole('button', { name: 'Cancel all…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^At most/).fill('1/s');
      await dialog.getByRole('button', { name: 'Cancel pending messages' }).click();
      await dialog.getByText('3 canceled').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await states.getByRole('button', { name: /^pending 0$/ }).waitFor();
    },
    browserLimitMs,
  );

  it(
    'of groups of dead letters say that older ones were not counted, and can count those',
    async () => {
      const page = await visits.signedIn(server, '/jobs');
      const group = { origin: 'https://example.com', error: 'out of paper', responseStatus: 500 };
      const at = Date.now();
      const groupOf = (count: number) => ({
        ...group,
        count,
        newestAt: at,
        oldestAt: at,
        dlqId: `${at}-1s00`,
      });
      await page.route('**/v2/dlq/groups*', (route) => {
        const isFurther = route.request().url().includes('cursor=');
        const cut = { cursor: 'further', searchedTo: at };
        const groups = [groupOf(isFurther ? 7 : 53)];
        return route.fulfill({ json: { groups, others: 0, ...(isFurther ? {} : cut) } });
      });
      await page.getByRole('link', { name: 'Dead letters' }).click();
      const table = page.getByRole('table', { name: 'By error' });
      await table.getByText('53+', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Count further' }).click();
      await table.getByText('60', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Count further' }).count()).toBe(0);
    },
    browserLimitMs,
  );

  it(
    'of records behind which a group is are loaded every five seconds',
    async () => {
      await callLog(server, '/admin/topics', { name: 'rides', partitions: 1 });
      await callLog(server, '/consume/readers/one/rides?timeout=0');
      const page = await visits.signedIn(server, '/topics');
      // Without the live stream, all data is loaded more often.
      await Promise.all([page.waitForResponse('**/v2/live'), page.reload()]);
      await page.getByRole('link', { name: 'rides' }).waitFor();
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 5000);
      let asked = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/admin/groups/readers')) asked += 1;
      });
      await page.getByRole('link', { name: 'rides' }).click();
      const pass = async (milliseconds: number) => {
        for (let ms = 0; ms < milliseconds; ms += 100) await page.clock.runFor(100);
      };
      while (!(await page.getByText('0 behind').isVisible())) await pass(100);
      const before = asked;
      await pass(6000);
      expect(asked).toBeGreaterThan(before);
    },
    browserLimitMs,
  );
});
