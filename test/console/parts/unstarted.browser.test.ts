import { findings } from '../../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../../support/console/chromium.js';
import { visitsInChromium } from '../../support/console/visits.js';
import { startServer, type TestServer } from '../../support/server.js';

describeInChromium('a page whose script was not loaded', () => {
  const visits = visitsInChromium();
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  }, browserLimitMs);

  afterAll(() => server.remove(), browserLimitMs);

  it.each(['/console/messages', '/docs'])(
    '%s says so, and loads again',
    async (address) => {
      const page = await visits.at(server, address);
      const started = page.getByRole(address === '/docs' ? 'heading' : 'button').first();
      const words = page.getByText('This page has not started yet');
      await started.waitFor();
      expect(await words.count()).toBe(0);

      await page.route('**/assets/*.js', (route) => route.abort());
      await page.reload();
      await words.waitFor();
      expect(await findings(page)).toEqual([]);
      expect(visits.faults.splice(0)).not.toEqual([]);

      await page.unroute('**/assets/*.js');
      await page.getByRole('link', { name: 'Load it again' }).click();
      await words.waitFor({ state: 'detached' });
      await started.waitFor();
      expect(page.url()).toBe(`${server.url}${address}`);
    },
    browserLimitMs,
  );

  it(
    'is shown by Try again, if only its own script was not loaded',
    async () => {
      const page = await visits.signedIn(server, '/');
      const script = '**/assets/messages-page-*.js';
      await page.route(script, (route) => route.abort());
      await page.getByRole('link', { name: 'Messages' }).first().click();
      await page.getByText('This page could not be shown').waitFor();
      expect(visits.faults.splice(0)).not.toEqual([]);

      await page.unroute(script);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Messages' }).waitFor();
    },
    browserLimitMs,
  );
});
