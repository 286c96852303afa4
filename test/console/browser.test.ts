import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

describeInChromium('the console in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;
  /** The status that the destination answers. */
  let status = 200;

  const open = (path: string, token = server.token, context = {}) =>
    visits.signedIn(server, path, token, context);
  const publish = async (path: string, headers: Record<string, string> = {}) => {
    const target = `/v2/publish/${endpoint.url}${path}`;
    const { body } = await callApi(server, 'POST', target, headers, '{"hello":"world"}');
    return (body as { messageId: string }).messageId;
  };

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(() => ({ status, body: `the answer ${status}` }));
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  afterEach(async () => {
    status = 200;
  }, browserLimitMs);

  it(
    'signs in with a token, and out again',
    async () => {
      const page = await open('/messages?label=kept');
      await page.getByRole('heading', { name: 'Messages' }).waitFor();
      // The address and the filter of the page are kept.
      expect(await page.getByLabel('Label').inputValue()).toBe('kept');
      const cookies = await page.context().cookies();
      // One of the session, and one of a browser that has signed in before.
      expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([
        [true, 'Strict'],
        [true, 'Strict'],
      ]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.context().cookies()).toHaveLength(1);
    },
    browserLimitMs,
  );

  it(
    'says why a token is refused',
    async () => {
      const page = await visits.open(server, '/');
      await page.getByLabel('Token').fill('no token');
      await page.getByRole('button', { name: 'Sign in' }).click();
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent()).toContain('there is no such token');
      // The browser itself reports the answer 401.
      expect(visits.faults.splice(0)).toEqual([expect.stringContaining('401')]);
    },
    browserLimitMs,
  );

  it(
    'shows pages to a read-only token, with disabled buttons for changes',
    async () => {
      const id = await publish('/read', { 'svc-delay': '1h' });
      const page = await open(`/messages/${id}`, server.readToken);
      await page.getByText('read only').filter({ visible: true }).waitFor();
      const cancel = page.getByRole('button', { name: 'Cancel' });
      await cancel.waitFor();
      expect(await cancel.isDisabled()).toBe(true);
      expect(await cancel.getAttribute('title')).toContain('may only read');
      await page.goto(`${server.url}/console/settings`);
      await page.getByText('are shown to a token with the role admin').waitFor();
      await page.getByRole('table', { name: 'Configuration' }).waitFor();
    },
    browserLimitMs,
  );

  it(
    'shows a message from its failure and retries to its delivery from the dead letters',
    async () => {
      const page = await open('/messages');
      status = 500;
      const id = await publish('/life', { 'svc-retries': '1', 'svc-retry-delay': '100' });
      const row = page.getByRole('row').filter({ hasText: '/life' });
      await row.filter({ hasText: 'failed' }).waitFor();
      await row.click();
      await page.waitForURL(`**/messages/${id}`);
      await page
        .getByRole('button', { name: /the destination answered 500/ })
        .nth(1)
        .waitFor();
      expect(await page.getByRole('img', { name: /^attempt / }).count()).toBe(2);
      await page.keyboard.press('g');
      await page.keyboard.press('d');
      await page.waitForURL('**/dead-letters');
      const letter = page.getByRole('row').filter({ hasText: '/life' });
      await letter.waitFor();
      status = 200;
      await letter.getByRole('button', { name: /^Retry/ }).click();
      await letter.waitFor({ state: 'detached' });
      // New rows are held back while the mouse is over the list.
      await page.mouse.move(0, 0);
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      const delivered = page.getByRole('row').filter({ hasText: '/life' });
      await delivered.filter({ hasText: 'delivered' }).waitFor();
    },
    browserLimitMs,
  );

  it(
    'publishes a message from a page, and cancels it',
    async () => {
      const page = await open('/messages');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByLabel(/^Destination/).fill(`${endpoint.url}/a/../typed`);
      await page.getByLabel('Body').fill('typed');
      await page.getByLabel(/^Headers/).fill('Svc-Delay: 1h\nSvc-Label: one,two');
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.waitForURL('**/messages/msg_*');
      await page.getByRole('heading', { name: `${endpoint.url}/a/../typed` }).waitFor();
      await page.getByText(/Why:.* \(in 59 min\)\.$/).waitFor();
      await page.goBack();
      await page.getByRole('row').filter({ hasText: 'one, two' }).waitFor();
      await page.goForward();
      await page.getByRole('button', { name: 'Cancel…' }).click();
      await page.getByRole('button', { name: 'Cancel the message' }).click();
      await page.getByText('canceled', { exact: true }).first().waitFor();
      expect(endpoint.requests.some(({ url }) => url?.endsWith('/typed'))).toBe(false);
    },
    browserLimitMs,
  );

  it(
    'can be used by keyboard alone',
    async () => {
      const id = await publish('/by-keys');
      const page = await visits.open(server, '/');
      await page.getByLabel('Token').waitFor();
      await page.keyboard.type(server.token);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder(/A page, or the id/).waitFor();
      await page.keyboard.type('mess');
      await page.keyboard.press('Enter');
      await page.getByRole('row').filter({ hasText: '/by-keys' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type(`${endpoint.url}/by-keys`);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/messages?url=*');
      await page.keyboard.press('Escape');
      await page.keyboard.press('j');
      await page.locator('tr[aria-current=true]').filter({ hasText: '/by-keys' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/messages/${id}`);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('scd_daily');
      await page.getByRole('option', { name: 'The schedule scd_daily' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    browserLimitMs,
  );

  it(
    'says that the server is gone and when the data shown was read',
    async () => {
      const other = await startServer();
      const page = await visits.signedIn(other, '/messages');
      await page.getByText('No messages yet').waitFor();
      await other.stop();
      await page.getByText(/This page shows its state of \d\d:\d\d/).waitFor();
      await page.getByText('No messages yet').waitFor();
      await page.context().close();
      // The browser itself reports that there is no answer.
      visits.faults.splice(0);
      await other.remove();
    },
    browserLimitMs,
  );

  it(
    'asks to sign in as soon as the live stream is refused',
    async () => {
      const admin = { authorization: server.basic };
      const asked = JSON.stringify({ name: 'leaver', role: 'read' });
      const { body } = await callApi(server, 'POST', '/admin/tokens', admin, asked);
      const { token } = body as { token: string };
      const page = await open('/schedules', token);
      await page.getByRole('heading', { name: 'Schedules' }).waitFor();
      // Nothing else gets an answer that could say so.
      await page.route(/\/(v2|admin)\/(?!live)/, () => undefined);
      await callApi(server, 'DELETE', '/admin/tokens/leaver', admin);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      // The browser itself reports the answer 401.
      expect(visits.faults.splice(0)).toContainEqual(expect.stringContaining('401'));
    },
    browserLimitMs,
  );
});
