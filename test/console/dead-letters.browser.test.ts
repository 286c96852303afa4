import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

describeInChromium('dead letters in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;
  /** The status that the destination answers. */
  let status = 500;

  const open = (path: string) => visits.signedIn(server, path);
  const letters = async (query = '') => {
    const { body } = await callApi(server, 'GET', `/v2/dlq${query}`);
    const page = body as { messages: { url: string; dlqId: string; messageId: string }[] };
    return page.messages;
  };
  /** Publishes a message that fails for good, and waits until it has failed. */
  const fail = async (path: string, label: string) => {
    const target = `/v2/publish/${endpoint.url}${path}`;
    const headers = { 'svc-retries': '0', 'svc-label': label };
    const before = (await letters(`?label=${label}`)).length;
    await callApi(server, 'POST', target, headers, 'x');
    while ((await letters(`?label=${label}`)).length === before) await endpoint.received(1);
  };
  const rows = (page: Page) =>
    page.getByRole('table', { name: 'Dead letters' }).locator('tbody').getByRole('row');

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(({ url }) => ({
      status: url.startsWith('/gone') && status === 500 ? 404 : status,
      body: url.startsWith('/gone') ? 'no such page' : 'out of paper',
    }));
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  afterEach(async () => {
    status = 500;
  }, browserLimitMs);

  it(
    'are grouped by their failure, and a group can be shown and exported',
    async () => {
      for (const path of ['/gone/1', '/gone/2', '/broken']) await fail(path, 'grouped');
      const page = await open('/dead-letters');
      const groups = page.getByRole('table', { name: 'By error' });
      const first = groups.locator('tbody').getByRole('row').first();
      await first.filter({ hasText: /^2404 no such page/ }).waitFor();
      await rows(page).nth(2).waitFor();
      expect(await findings(page)).toEqual([]);
      await first.getByRole('button').click();
      await page.waitForURL(/responseStatus=.*404/);
      await page.waitForURL(({ searchParams }) => {
        return searchParams.get('error')?.includes('no such page') === true;
      });
      await rows(page).filter({ hasText: '/broken' }).waitFor({ state: 'detached' });
      expect(await rows(page).count()).toBe(2);

      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const text = await readFile(await (await download).path(), 'utf8');
      const exported = text.trimEnd().split('\n');
      const urls = exported.map((line) => (JSON.parse(line) as { url: string }).url);
      expect(urls).toEqual([`${endpoint.url}/gone/2`, `${endpoint.url}/gone/1`]);
    },
    browserLimitMs,
  );

  it(
    'can be chosen by keys',
    async () => {
      await fail('/keyed', 'keyed');
      const page = await open('/dead-letters?label=keyed');
      await page.getByRole('table', { name: 'By error' }).waitFor();
      await rows(page).first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/messages/msg_*');
    },
    browserLimitMs,
  );

  it(
    'are found by their URL as it is shown, without its scheme',
    async () => {
      await fail('/shown', 'shown');
      await fail('/other', 'shown');
      const page = await open('/dead-letters');
      await rows(page).nth(1).waitFor();
      const shown = `${endpoint.url}/shown`.replace('http://', '');
      await page.getByLabel('URL').fill(shown);
      await rows(page).nth(1).waitFor({ state: 'detached' });
      await page.getByRole('table', { name: 'Dead letters' }).getByText(shown).waitFor();
      await page.getByRole('link', { name: 'Messages' }).click();
      await page.getByLabel('URL').fill(shown);
      await page.getByRole('table', { name: 'Messages' }).getByText(shown).waitFor();
      await page.getByRole('link', { name: 'Workflows' }).click();
      const asked = page.waitForRequest((request) =>
        new URL(request.url()).searchParams.getAll('workflowUrl').includes(`http://${shown}`),
      );
      await page.getByLabel('URL').fill(shown);
      await asked;
    },
    browserLimitMs,
  );

  it(
    'are retried if they are selected; the others stay',
    async () => {
      for (const path of ['/one', '/two', '/three']) await fail(path, 'chosen');
      const page = await open('/dead-letters?label=chosen');
      await rows(page).nth(2).waitFor();
      for (const path of ['/one', '/three']) {
        await rows(page).filter({ hasText: path }).getByRole('checkbox').check();
      }
      await page.getByText('2 chosen').waitFor();
      status = 200;
      await page.getByRole('button', { name: 'Retry chosen' }).click();
      await rows(page).filter({ hasText: '/one' }).waitFor({ state: 'detached' });
      await page.getByText('2 chosen').waitFor({ state: 'detached' });
      const left = await letters('?label=chosen');
      expect(left.map(({ url }) => url)).toEqual([`${endpoint.url}/two`]);
    },
    browserLimitMs,
  );

  it(
    'are retried by filter in a job with a rate, which can be watched and aborted',
    async () => {
      const paths = Array.from({ length: 6 }, (_, index) => `/paced/${index}`);
      for (const path of paths) await fail(path, 'paced');
      const page = await open('/dead-letters?label=paced');
      await page.getByRole('button', { name: 'Retry all…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('6 match now.').waitFor();
      await dialog.getByText('Which ones').click();
      await dialog.getByRole('listitem').nth(5).waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await letters('?label=paced')).toHaveLength(6);
      status = 200;
      // One retry now and the next in an hour.
      await dialog.getByLabel(/^At most/).fill('1/h');
      await dialog.getByRole('button', { name: 'Retry dead letters' }).click();
      await dialog.getByText('1 retried of 6').waitFor();
      expect(await findings(page)).toEqual([]);
      await dialog.getByRole('link', { name: 'All jobs' }).click();
      await page.waitForURL('**/jobs');
      const job = page.locator('section').filter({ hasText: 'label is paced' });
      await job.getByText('at most').waitFor();
      await job.getByRole('button', { name: 'Abort' }).click();
      await job.getByText('aborted').waitFor();
      expect(await letters('?label=paced')).toHaveLength(5);
    },
    browserLimitMs,
  );

  it(
    'are retried from the page of their message, once',
    async () => {
      await fail('/page', 'page');
      const [{ messageId } = { messageId: '' }] = await letters('?label=page');
      const page = await open(`/messages/${messageId}`);
      const retry = page.getByRole('button', { name: 'Retry', exact: true });
      status = 200;
      await retry.click();
      await page.waitForURL((url) => !url.pathname.endsWith(messageId));
      await page.getByText('delivered', { exact: true }).first().waitFor();
      expect(await letters('?label=page')).toEqual([]);
      await page.goBack();
      await page.getByText('failed', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Resend…' }).waitFor();
      expect(await retry.count()).toBe(0);
    },
    browserLimitMs,
  );

  it(
    'cannot be used, or are not shown, while those that were asked for are loaded',
    async () => {
      await fail('/held', 'held');
      const page = await open('/dead-letters?label=held');
      await rows(page).filter({ hasText: '/held' }).waitFor();
      let release = () => undefined;
      const hold = (path: RegExp) => {
        const held = new Promise<undefined>((resolve) => {
          release = () => void resolve(undefined);
        });
        return page.route(path, async (route) => {
          await held;
          await route.continue();
        });
      };
      await hold(/\/v2\/dlq\?.*other/);
      await page.getByLabel('Label').fill('other');
      await page.locator('[aria-busy=true] [inert]').getByText('/held').waitFor();
      expect(await findings(page)).toEqual([]);
      release();
      await page.getByText('Nothing matches these filters').waitFor();
      await page.getByLabel('Label').fill('held');
      await rows(page).filter({ hasText: '/held' }).waitFor();
      await hold(/\/v2\/workflows\/dlq\?/);
      await page.getByRole('button', { name: 'workflow runs' }).click();
      await page.getByRole('status', { name: 'Loading' }).waitFor();
      expect(await page.getByText('/held').count()).toBe(0);
      release();
      await page.getByText('Nothing matches these filters').waitFor();
    },
    browserLimitMs,
  );
});
