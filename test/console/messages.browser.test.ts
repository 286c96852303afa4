import type { Page } from 'playwright-core';
import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

describeInChromium('messages in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;

  const open = (path: string, token = server.token) => visits.signedIn(server, path, token);
  const publish = async (path: string, headers: Record<string, string> = {}) => {
    const target = `/v2/publish/${endpoint.url}${path}`;
    const { body } = await callApi(server, 'POST', target, headers, '{"order":"A-17"}');
    return (body as { messageId: string }).messageId;
  };
  const rowOf = (page: Page, path: string) =>
    page.getByRole('table', { name: 'Messages' }).getByRole('row').filter({ hasText: path });
  /** The button of a state with its count. */
  const facet = (page: Page, name: RegExp) =>
    page.getByRole('group', { name: 'States' }).getByRole('button', { name });

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(({ url }) => ({
      status: url?.startsWith('/broken') ? 500 : 200,
    }));
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'are counted by state and can be found by text and by time',
    async () => {
      await publish('/counted', { 'svc-label': 'counted' });
      await publish('/broken/counted', { 'svc-label': 'counted', 'svc-retries': '0' });
      await publish('/later', { 'svc-label': 'counted', 'svc-delay': '1h' });
      const page = await open('/messages?label=counted');
      await facet(page, /^delivered 1$/).waitFor();
      await facet(page, /^pending 1$/).waitFor();
      await facet(page, /^failed 1$/).click();
      await rowOf(page, '/broken/counted').waitFor();
      await rowOf(page, '/later').waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('state')).toBe('FAILED');
      await facet(page, /^failed 1$/).click();

      const columns = page.getByRole('img', { name: /^Messages by outcome/ });
      const { x = 0, y = 0, width = 0 } = (await columns.boundingBox()) ?? {};
      // The server did not exist yet in the first half of the last hour.
      await page.mouse.move(x + 1, y + 5);
      await page.mouse.down();
      await page.mouse.move(x + width / 2, y + 5);
      await page.mouse.up();
      await page.waitForURL(/fromDate=.*toDate=/);
      await page.getByText('Nothing matches these filters').waitFor();
      await page.getByRole('button', { name: 'All times' }).click();
      await rowOf(page, '/later').waitFor();

      await page.getByLabel('Contains').fill('broken/counted');
      await rowOf(page, '/later').waitFor({ state: 'detached' });
      await rowOf(page, '/broken/counted').waitFor();
      const cancel = page.getByRole('button', { name: 'Cancel all…' });
      expect(await cancel.isDisabled()).toBe(true);
    },
    browserLimitMs,
  );

  it(
    'are canceled by filter after their number was shown',
    async () => {
      const doomed = { 'svc-label': 'doomed', 'svc-delay': '1h' };
      await publish('/doomed', doomed);
      await publish('/doomed', doomed);
      const kept = await publish('/kept', { 'svc-label': 'kept', 'svc-delay': '1h' });
      const page = await open('/messages?label=doomed&state=pending');
      await page.getByRole('button', { name: 'Cancel all…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('a label is doomed').waitFor();
      await dialog.getByText('2 match now.').waitFor();
      expect(await findings(page)).toEqual([]);
      await dialog.getByLabel(/^At most/).fill('fast');
      await dialog.getByRole('button', { name: 'Cancel pending messages' }).click();
      await dialog.getByText(/rate must be/).waitFor();
      // The browser itself reports the answer 400.
      expect(visits.faults.splice(0)).toEqual([expect.stringContaining('400')]);
      await dialog.getByLabel(/^At most/).fill('');
      await dialog.getByRole('button', { name: 'Cancel pending messages' }).click();
      await dialog.getByText('2 canceled').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('Nothing matches these filters').waitFor();
      const { status } = await callApi(server, 'GET', `/v2/messages/${kept}`);
      expect(status).toBe(200);
    },
    browserLimitMs,
  );

  it(
    'can be filtered by times that are typed, whose years begin with one digit',
    async () => {
      const page = await open('/messages?fromDate=1');
      const from = page.getByLabel('From', { exact: true });
      await from.fill('2025-03-04T05:06:07');
      await page.keyboard.press('Enter');
      await page.waitForURL(/fromDate=.*174\d{10}/);
      await from.evaluate('(field) => field.focus()');
      // The fields of a date in English: month, day, year.
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.type('2026');
      expect(await from.inputValue()).toBe('2026-03-04T05:06:07');
      await page.keyboard.press('Enter');
      const at = new Date(2026, 2, 4, 5, 6, 7).getTime();
      await page.waitForURL(
        ({ searchParams }) => searchParams.get('fromDate')?.includes(`${at}`) === true,
      );
    },
    browserLimitMs,
  );

  it(
    'say in local time until when they wait',
    async () => {
      const id = await publish('/waiting', { 'svc-delay': '1h' });
      const { body } = await callApi(server, 'GET', `/v2/messages/${id}`);
      const { nextDeliveryTime } = body as { nextDeliveryTime: number };
      const timezoneId = 'Asia/Tokyo';
      const context = { timezoneId };
      const page = await visits.signedIn(server, `/messages/${id}`, server.token, context);
      const local = new Date(nextDeliveryTime).toLocaleString('sv-SE', { timeZone: timezoneId });
      const why = page.locator('p').filter({ hasText: 'It is delayed' });
      await why.filter({ hasText: `until ${local} (in ` }).waitFor();
      expect(await why.textContent()).toMatch(/ \(in \d+ min\)\./);
    },
    browserLimitMs,
  );

  it(
    'can be delayed, delivered now, and shown as they were before',
    async () => {
      const id = await publish('/moved', { 'svc-delay': '1h' });
      const page = await open(`/messages/${id}`);
      await page.getByRole('button', { name: 'Change delay…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Not before').fill('never');
      await dialog.getByRole('button', { name: 'Change' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Not before').fill('5h');
      await dialog.getByRole('button', { name: 'Change' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(/\(in 4 h\)/).waitFor();
      // The browser itself reports the answer 400.
      expect(visits.faults.splice(0)).toEqual([expect.stringContaining('400')]);

      await page.getByRole('button', { name: 'Deliver now' }).click();
      await page.getByText('delivered', { exact: true }).first().waitFor();
      const slider = page.getByRole('slider', { name: 'Moment' });
      await slider.focus();
      await page.keyboard.press('Home');
      await page
        .getByRole('status')
        .filter({ hasText: /^As of / })
        .waitFor();
      await page.getByText('None yet.').waitFor();
      expect(await page.getByRole('button', { name: 'Resend…' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Resend…' }).waitFor();
      expect(await page.getByText('None yet.').count()).toBe(0);
    },
    browserLimitMs,
  );

  it(
    'have signatures that can be checked, and that of another message is not accepted',
    async () => {
      const id = await publish('/signed');
      await publish('/other');
      const signatureOf = async (path: string): Promise<string> => {
        const request = endpoint.requests.find(({ url }) => url === path);
        if (request !== undefined) return String(request.headers['svc-signature']);
        await endpoint.next();
        return signatureOf(path);
      };
      const page = await open(`/messages/${id}`);
      await page.getByRole('button', { name: 'Check a signature…' }).click();
      const dialog = page.getByRole('dialog');
      const check = async (token: string) => {
        await dialog.getByLabel(/Signature/).fill(token);
        await dialog.getByRole('button', { name: 'Check', exact: true }).click();
      };
      await check(await signatureOf('/signed'));
      for (const text of ['signed with the current key', 'for this URL', 'of this body']) {
        await dialog.getByText(text).waitFor();
      }
      await check(await signatureOf('/other'));
      await dialog.getByText('for another URL').waitFor();
      await dialog.getByText('signed with the current key').waitFor();
      await check(`${(await signatureOf('/signed')).slice(0, -8)}AAAAAAAA`);
      await dialog.getByText('not signed with a key of this server').waitFor();
      await check('no signature');
      await dialog.getByRole('alert').waitFor();
      expect(await findings(page)).toEqual([]);
    },
    browserLimitMs,
  );
});
