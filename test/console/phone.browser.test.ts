import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

const dialogText = `(() => {
  const content = document.querySelector('dialog > div:last-child');
  const isCut = content.scrollWidth > content.clientWidth;
  return { isCut, align: getComputedStyle(content).textAlign };
})()`;
const viewport = { width: 390, height: 844 };

describeInChromium('lists on a phone', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;

  const open = (path: string) => visits.signedIn(server, path, server.token, { viewport });

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start();
    server = await startServer();
    const { url } = endpoint;
    const call = (path: string, headers: Record<string, string>) =>
      callApi(server, 'POST', path, headers, 'x');
    await call(`/v2/enqueue/mails/${url}`, { 'svc-delay': '1h' });
    const flow = { 'svc-flow-control-key': 'api', 'svc-flow-control-value': 'parallelism=1' };
    await call(`/v2/publish/${url}`, { ...flow, 'svc-delay': '1h' });
    await call(`/v2/publish/${url}`, {});
    for (const id of ['daily', 'a-report-of-all-that-came-this-week']) {
      const cron = { 'svc-cron': '0 9 * * 1-5', 'svc-schedule-id': id };
      await call(`/v2/schedules/${url}`, cron);
    }
    await endpoint.received(1);
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'name each schedule and lead to its page',
    async () => {
      const page = await open('/schedules');
      const table = page.getByRole('table', { name: 'Schedules' });
      await table.getByRole('link', { name: 'his-week' }).waitFor();
      await table.getByRole('link', { name: 'daily', exact: true }).click();
      await page.waitForURL('**/schedules/daily');
    },
    browserLimitMs,
  );

  it(
    'have buttons that pause and change queues and keys',
    async () => {
      const page = await open('/queues');
      await page.getByRole('button', { name: 'Pause mails' }).click();
      await page.getByRole('button', { name: 'Resume mails' }).waitFor();
      expect(await findings(page)).toEqual([]);
      for (const name of ['mails', 'api']) {
        await page.getByRole('button', { name: `Change ${name}` }).click();
        await page.getByRole('dialog', { name: new RegExp(name) }).waitFor();
        expect(await page.evaluate(dialogText)).toEqual({ isCut: false, align: 'left' });
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    },
    browserLimitMs,
  );

  it(
    'keep the titles of their panels whole beside wide buttons',
    async () => {
      const page = await open('/messages');
      const title = page.getByRole('heading', { name: 'Outcomes' });
      const heightOf = async () => (await title.boundingBox())?.height;
      await title.waitFor();
      const before = await heightOf();
      await page.getByRole('button', { name: 'Times…' }).click();
      await page.getByLabel('From').waitFor();
      expect(await heightOf()).toBe(before);
    },
    browserLimitMs,
  );

  it(
    'have a button that pauses an origin',
    async () => {
      const page = await open('/endpoints');
      await page.getByRole('button', { name: `Pause ${endpoint.url}` }).click();
      await page.getByRole('button', { name: `Resume ${endpoint.url}` }).waitFor();
      expect(await findings(page)).toEqual([]);
    },
    browserLimitMs,
  );
});
