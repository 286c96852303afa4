import { callApi } from '../support/clients/api-call.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

const focused = 'document.activeElement.textContent';

describeInChromium('keys and the focus in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  }, browserLimitMs);

  afterAll(() => server.remove(), browserLimitMs);

  it(
    'are taken by the page as soon as a dialog is closed',
    async () => {
      const page = await visits.signedIn(server, '/messages');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder(/A page, or the id/).waitFor();
      // The next key comes before the browser has drawn the page without the dialog.
      await page.evaluate(`
        document.querySelector('dialog').close();
        const press = new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(press);
      `);
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    browserLimitMs,
  );

  it(
    'open the palette although its file is not there any more',
    async () => {
      const page = await visits.open(server, '/messages');
      const loaded = page.waitForResponse(/palette/);
      await page.getByLabel('Token').fill(server.token);
      await page.keyboard.press('Enter');
      await (await loaded).finished();
      await page.route(/palette/, (route) => route.fulfill({ status: 404 }));
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder(/A page, or the id/).waitFor();
    },
    browserLimitMs,
  );

  it(
    'go on at the button that opened a dialog, however it is closed',
    async () => {
      const page = await visits.signedIn(server, '/messages');
      const open = async () => {
        await page.getByRole('button', { name: 'Publish' }).focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel(/^Destination/).waitFor();
        return dialog;
      };
      for (const name of ['Close', 'Escape']) {
        const dialog = await open();
        if (name === 'Escape') await page.keyboard.press(name);
        else await dialog.getByRole('button', { name }).last().click();
        await dialog.waitFor({ state: 'detached' });
        expect(await page.evaluate(focused)).toBe('Publish');
      }
    },
    browserLimitMs,
  );

  it(
    'type a filter of several words, at any pace',
    async () => {
      const page = await visits.signedIn(server, '/messages');
      const field = page.getByLabel('Contains');
      await field.fill('out ');
      await page.waitForURL('**/messages?contains=out');
      await field.pressSequentially('of');
      await page.waitForURL(({ searchParams }) => searchParams.get('contains') === 'out of');
      expect(await field.inputValue()).toBe('out of');
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.waitForURL('**/messages');
      expect(await field.inputValue()).toBe('');
    },
    browserLimitMs,
  );

  it(
    'go on at a button that has changed something, and at the table of a row that is gone',
    async () => {
      for (const queueName of ['kept', 'left']) {
        await callApi(server, 'POST', '/v2/queues', {}, JSON.stringify({ queueName }));
      }
      const page = await visits.signedIn(server, '/queues');
      const press = async (name: string) => {
        await page.getByRole('button', { name }).focus();
        await page.keyboard.press('Enter');
      };
      const label = 'document.activeElement.ariaLabel';
      await press('Pause left');
      await page.getByRole('button', { name: 'Resume left' }).waitFor();
      expect(await page.evaluate(label)).toBe('Resume left');
      await press('Change left');
      await press('Delete the queue…');
      await page.getByRole('dialog', { name: 'Delete the queue left?' }).waitFor();
      await press('Delete the queue');
      await page.getByRole('button', { name: 'Resume left' }).waitFor({ state: 'detached' });
      await page.locator('table:focus').waitFor();
      expect(await page.evaluate(label)).toBe('Queues');
    },
    browserLimitMs,
  );
});
