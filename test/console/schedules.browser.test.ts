import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

describeInChromium('schedules in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;

  const open = (path: string) => visits.signedIn(server, path);
  const scheduleOf = async (id: string) =>
    (await callApi(server, 'GET', `/v2/schedules/${id}`)).body as Record<string, unknown>;

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start();
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'can be created, with their cron in words while it is typed, and show their week',
    async () => {
      const page = await open('/schedules');
      await page.getByRole('button', { name: 'Create' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^Cron/).fill('0 9 * *');
      await dialog.getByText('five fields').waitFor();
      // The browser itself reports the answer 400.
      expect(visits.faults.splice(0)).toContainEqual(expect.stringContaining('400'));
      await dialog.getByLabel(/^Cron/).fill('30 9 * * 1-5');
      await dialog.getByLabel(/^Zone/).fill('Europe/Berlin');
      await dialog.getByText('At 09:30, Monday through Friday').waitFor();
      await dialog
        .getByRole('listitem')
        .filter({ hasText: /^\w{3} \d\d\.\d\d\. 09:30/ })
        .nth(4)
        .waitFor();
      expect(await findings(page)).toEqual([]);
      visits.faults.splice(0);
      await dialog.getByLabel(/^Destination/).fill(`${endpoint.url}/made`);
      await dialog.getByLabel('Body').fill('good morning');
      await dialog.getByLabel(/^Headers/).fill('Svc-Label: \u6708\u6b21');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('the browser cannot send this').waitFor();
      await dialog.getByLabel(/^Headers/).fill('Svc-Retries: 2\nX-Kept: no');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.waitForURL('**/schedules/scd_*');
      await page.getByRole('img', { name: /^It triggers [45] times in seven days/ }).waitFor();
      await page.getByText('It has not triggered yet.').waitFor();
    },
    browserLimitMs,
  );

  it(
    'can be triggered, paused and edited, and keep their options',
    async () => {
      const options = {
        'svc-cron': '0 9 * * *',
        'svc-schedule-id': 'kept',
        'svc-retries': '4',
        'svc-timeout': '20s',
        'svc-label': 'a,b',
        'svc-callback': `${endpoint.url}/callback`,
        'svc-flow-control-key': 'k',
        'svc-flow-control-value': 'parallelism=2, rate=5, period=60',
        'svc-forward-x-kept': 'yes',
      };
      await callApi(server, 'POST', `/v2/schedules/${endpoint.url}/kept`, options, 'x');
      const before = await scheduleOf('kept');
      const page = await open('/schedules');
      const row = page.getByRole('row').filter({ hasText: '/kept' });
      await row.getByRole('button', { name: 'Trigger kept now' }).press('Enter');
      await row.getByRole('img', { name: 'success' }).waitFor();
      await row.getByRole('link').click();
      await page.waitForURL('**/schedules/kept');
      await page.getByText('by hand').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('The schedule is paused: these times are skipped.').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('on', { exact: true }).waitFor();

      await page.getByRole('button', { name: 'Edit…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^Cron/).fill('0 10 * * *');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      const edited = await scheduleOf('kept');
      expect(edited['cron']).toBe('CRON_TZ=UTC 0 10 * * *');
      for (const same of ['retries', 'timeout', 'labels', 'callback', 'rate', 'period', 'body']) {
        expect([same, edited[same]]).toEqual([same, before[same]]);
      }
      expect(edited['header']).toEqual(before['header']);
      expect(edited['parallelism']).toBe(2);

      await page.getByRole('button', { name: 'Delete…' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No schedules yet').waitFor({ state: 'detached' });
      await page.waitForURL('**/schedules');
      await row.waitFor({ state: 'detached' });
    },
    browserLimitMs,
  );

  it(
    'are asked for their week once, however often schedules trigger',
    async () => {
      const options = { 'svc-cron': '* * * * *', 'svc-schedule-id': 'often' };
      await callApi(server, 'POST', `/v2/schedules/${endpoint.url}/often`, options, 'x');
      const page = await open('/schedules');
      let weeks = 0;
      page.on('request', (request) => {
        if (/\/often\/next\?/.test(request.url())) weeks += 1;
      });
      await page.getByRole('row').filter({ hasText: '/often' }).getByRole('link').click();
      await page.getByRole('img', { name: /^It triggers [\d,]+ times in seven days/ }).waitFor();
      const whole = weeks;
      await callApi(server, 'POST', '/v2/schedules/often/trigger');
      await page.getByText('by hand').waitFor();
      await callApi(server, 'POST', '/v2/schedules/often/pause');
      await page.getByText('The schedule is paused: these times are skipped.').waitFor();
      expect(weeks).toBe(whole);
      const times = page.getByRole('listitem').filter({ hasText: /^\w{3} \d\d\.\d\d\. / });
      expect(await times.count()).toBe(5);
      await callApi(server, 'DELETE', '/v2/schedules/often');
    },
    browserLimitMs,
  );

  it(
    'say so where another client deletes them while their page is open',
    async () => {
      const options = { 'svc-cron': '0 9 * * *', 'svc-schedule-id': 'gone' };
      await callApi(server, 'POST', `/v2/schedules/${endpoint.url}/gone`, options, 'x');
      const page = await open('/schedules/gone');
      await page.getByText('It has not triggered yet.').waitFor();
      await callApi(server, 'DELETE', '/v2/schedules/gone');
      await page.getByRole('alert').filter({ hasText: 'not found' }).first().waitFor();
      await page.context().close();
      // The browser itself reports the answers 404.
      const faults = visits.faults.splice(0);
      expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    },
    browserLimitMs,
  );
});
