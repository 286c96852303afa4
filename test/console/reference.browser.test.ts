import type { Page } from 'playwright-core';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

describeInChromium('the reference of the API in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;

  /** Opens the page without a session, and waits until the routes are shown. */
  const open = async (address = '/docs', context = {}) => {
    const page = await visits.at(server, address, context);
    await page.getByRole('heading', { name: 'Messages' }).waitFor();
    return page;
  };
  const operationsOn = (page: Page) => page.locator('li[id] > button');

  beforeAll(async () => {
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
  }, browserLimitMs);

  it(
    "shows every route of the document, in the document's groups",
    async () => {
      const page = await open();
      const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
        paths: Record<string, object>;
        tags: { name: string }[];
      };
      const expected = Object.values(document.paths).flatMap((each) => Object.keys(each)).length;
      expect(await operationsOn(page).count()).toBe(expected);
      const groups = await page.getByRole('heading', { level: 2 }).allTextContents();
      expect(groups).toEqual(document.tags.map(({ name }) => name));
    },
    browserLimitMs,
  );

  it(
    'finds a route by words, and shows its fields, an answer and a working command',
    async () => {
      const page = await open();
      await page.getByRole('searchbox', { name: 'Search routes' }).fill('post /v2/jobs abort');
      await page.waitForURL('**/docs?search=*');
      expect(await operationsOn(page).count()).toBe(1);
      await page.getByRole('searchbox').fill('/v2/jobs resume, restart');
      await operationsOn(page).first().click();
      await page.waitForURL('**#postV2Jobs');
      await page.getByText('verb', { exact: true }).first().waitFor();
      await page.getByRole('heading', { name: 'An answer, 202' }).waitFor();
      const command = await page.locator('pre').first().textContent();
      expect(command).toContain(`curl -g '${server.url}/v2/jobs'`);
      expect(command).toContain('-X POST');
      expect(command).toContain('"$STEPWELL_TOKEN"'.slice(1, -1));
      expect(command).toContain('"dryRun":true');
    },
    browserLimitMs,
  );

  it(
    'opens at an address, and says so if no route matches',
    async () => {
      const page = await open('/docs#getV2Queues');
      const opener = page.locator('#getV2Queues > button');
      expect(await opener.getAttribute('aria-expanded')).toBe('true');
      await opener.press('Enter');
      expect(await opener.getAttribute('aria-expanded')).toBe('false');
      await page.getByRole('searchbox').fill('no such words');
      await page.getByText('No route matches these words').waitFor();
    },
    browserLimitMs,
  );

  it.each(['light', 'dark'] as const)(
    'has no findings of axe, %s, and fits on a phone',
    async (colorScheme) => {
      const viewport = { width: 390, height: 844 };
      const page = await open('/docs#postV2PublishDestination', { colorScheme, viewport });
      await page.getByRole('heading', { name: 'As curl' }).waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    },
    browserLimitMs,
  );
});
