import type { Locator } from 'playwright-core';
import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

const long = 'a'.repeat(1500);
/** The padding at the right of the last cell of a row. */
const paddingPx = 12;

/** The right end of an element, in pixels from the left. */
async function rightEnd(of: Locator): Promise<number> {
  const { x, width } = (await of.boundingBox()) ?? { x: Number.NaN, width: 0 };
  return x + width;
}

describeInChromium('long names and paused rows in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;

  const call = async (path: string, headers: Record<string, string> = {}, body = 'x') =>
    (await callApi(server, 'POST', path, headers, body)).body as { messageId: string };

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(() => new Promise<never>(() => undefined));
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'leave a page as wide as its window and its title short, however long the URL is',
    async () => {
      const { messageId } = await call(`/v2/publish/${endpoint.url}/${long}`);
      await endpoint.received(1);
      const page = await visits.signedIn(server, `/messages/${messageId}`);
      await page.getByText(/has been in flight since/).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
      const title = page.getByRole('heading', { level: 1 });
      expect((await title.boundingBox())?.height).toBeLessThan(100);
      expect(await title.getAttribute('title')).toContain(long);
    },
    browserLimitMs,
  );

  it(
    'leave the buttons of paused rows fully visible',
    async () => {
      await call('/v2/queues', {}, '{"queueName":"mails","paused":true}');
      const cron = { 'svc-cron': '0 9 * * *', 'svc-schedule-id': 'nine' };
      await call(`/v2/schedules/${endpoint.url}/tick`, cron);
      await call('/v2/schedules/nine/pause');
      const page = await visits.signedIn(server, '/queues');
      const rows = [
        ['/queues', 'Resume mails'],
        ['/schedules', 'Resume nine'],
      ] as const;
      for (const [path, name] of rows) {
        await page.goto(`${server.url}/console${path}`);
        const row = page.getByRole('row').filter({ has: page.getByRole('button', { name }) });
        await row.waitFor();
        const end = await rightEnd(row.getByRole('button').last());
        // A button that does not fit would reach into the padding of its cell and be cut there.
        expect([path, end <= (await rightEnd(row)) - paddingPx + 1]).toEqual([path, true]);
      }
    },
    browserLimitMs,
  );

  it(
    'leave pages and dialogs as wide as they are, however long names are',
    async () => {
      const name = 'n'.repeat(256);
      await call('/v2/queues', {}, JSON.stringify({ queueName: name }));
      const asked = { name, topic: 'pushed', destination: `${endpoint.url}/push` };
      const admin = { authorization: server.basic };
      await call('/admin/subscriptions', admin, JSON.stringify(asked));
      const page = await visits.signedIn(server, '/topics/pushed');
      await page.getByRole('heading', { name: 'Pushes' }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
      await page.goto(`${server.url}/console/queues`);
      await page.getByRole('button', { name: `Change ${name}` }).click();
      const dialog = page.getByRole('dialog');
      const [end, edge] = [dialog.getByRole('button', { name: 'Close' }).first(), dialog];
      expect(await rightEnd(end)).toBeLessThan(await rightEnd(edge));
      await page.keyboard.press('Escape');
    },
    browserLimitMs,
  );

  it(
    'are shown as the title of a page even if the topic does not exist',
    async () => {
      const page = await visits.signedIn(server, '/topics/nowhere');
      await page.getByRole('heading', { level: 1, name: 'nowhere' }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'not found' }).waitFor();
      // The browser itself reports the answer 404.
      const faults = visits.faults.splice(0);
      expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    },
    browserLimitMs,
  );
});
