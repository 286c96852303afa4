import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

describeInChromium('the sink of a development server in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;

  const open = async (path: string) => {
    const page = await visits.open(server, path);
    // A development server asks for no credentials on its own machine.
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    return page;
  };

  beforeAll(async () => {
    server = await startServer({ mode: 'dev' });
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
  }, browserLimitMs);

  it(
    'receives a first message without another program, and shows the request',
    async () => {
      const page = await open('/messages');
      await page.getByText('No messages yet').waitFor();
      expect(await findings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Send one to the built-in sink' }).click();
      await page.waitForURL('**/messages/msg_*');
      await page.getByText('delivered', { exact: true }).first().waitFor();
      const [, id = ''] = /messages\/(msg_\w+)/.exec(page.url()) ?? [];
      await page.getByRole('link', { name: 'Endpoints' }).click();
      const list = page.getByRole('list', { name: 'Requests to the sink' });
      await list.getByText('/sink', { exact: true }).click();
      await list.getByText(id).first().waitFor();
      await list.getByText('"hello": "world"').waitFor();
      expect(await findings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Clear' }).click();
      await list.waitFor({ state: 'detached' });
    },
    browserLimitMs,
  );

  it(
    'helps to create a first dead letter, a first queue and a first schedule',
    async () => {
      const page = await open('/dead-letters');
      await page.getByRole('button', { name: 'Send one that the built-in sink refuses' }).click();
      const letter = page.getByRole('row').filter({ hasText: '/sink/500' });
      // This is sooner than lists are refreshed: the server reports the failure.
      await letter.getByRole('button', { name: /^Retry/ }).waitFor({ timeout: 15_000 });
      await page.getByRole('link', { name: 'Queues' }).click();
      await page.getByRole('button', { name: 'Send one through a queue' }).click();
      await page.getByRole('table', { name: 'Queues' }).getByText('first').waitFor();
      await page.getByRole('link', { name: 'Schedules' }).click();
      await page.getByRole('button', { name: 'Send to the built-in sink every minute' }).click();
      await page.getByRole('row').filter({ hasText: '/sink' }).first().waitFor();
    },
    browserLimitMs,
  );
});
