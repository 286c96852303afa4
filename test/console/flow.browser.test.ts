import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { startServer, type TestServer } from '../support/server.js';

describeInChromium('queues, keys and origins in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;

  const open = (path: string) => visits.signedIn(server, path);
  const post = async (path: string, headers: Record<string, string> = {}) => {
    const { body } = await callApi(server, 'POST', path, headers, 'x');
    return (body as { messageId: string }).messageId;
  };

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(({ url }) => {
      if (url === '/never') return new Promise<never>(() => undefined);
      return { status: url === '/broken' ? 500 : 200 };
    });
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'shows messages waiting in a queue in their order, and pauses all queues',
    async () => {
      const ids: string[] = [];
      for (let times = 0; times < 3; times += 1) {
        ids.push(await post(`/v2/enqueue/line/${endpoint.url}/never`));
      }
      await callApi(server, 'POST', '/v2/queues', {}, '{"queueName":"other"}');
      const page = await open('/queues');
      await page.getByRole('button', { name: /messages waiting in line$/ }).click();
      const dialog = page.getByRole('dialog');
      const line = dialog.getByRole('list', { name: 'The line' });
      await line.getByRole('listitem').nth(2).waitFor();
      expect(await line.getByRole('link').allTextContents()).toEqual(ids);
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Pause all…' }).first().click();
      await dialog.getByRole('button', { name: 'Pause all' }).click();
      await dialog.waitFor({ state: 'detached' });
      const queues = page.getByRole('table', { name: 'Queues' });
      await queues.getByRole('row').filter({ hasText: 'paused' }).nth(1).waitFor();
      await page.getByRole('button', { name: 'Resume all…' }).first().click();
      await dialog.getByRole('button', { name: 'Resume all' }).click();
      await queues.getByText('paused').first().waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Change line' }).click();
      await dialog.getByLabel(/^Parallelism/).fill('7');
      await dialog.getByRole('button', { name: 'Change' }).click();
      await queues.getByRole('row').filter({ hasText: 'line' }).getByText('7').waitFor();
    },
    browserLimitMs,
  );

  it(
    'show the order of the messages that wait for a key',
    async () => {
      const headers = {
        'svc-flow-control-key': 'narrow',
        'svc-flow-control-value': 'parallelism=1',
      };
      await post(`/v2/publish/${endpoint.url}/never`, headers);
      const second = await post(`/v2/publish/${endpoint.url}/never`, headers);
      const page = await open('/queues?search=narrow');
      await page.getByRole('button', { name: /messages waiting in narrow$/ }).click();
      const line = page.getByRole('dialog').getByRole('list', { name: 'The line' });
      expect(await line.getByRole('link').allTextContents()).toEqual([second]);
    },
    browserLimitMs,
  );

  it(
    'show how origins answer, and whether a destination can be reached',
    async () => {
      await post(`/v2/publish/${endpoint.url}/broken`, { 'svc-retries': '0' });
      const page = await open('/endpoints');
      const origin = page
        .getByRole('table', { name: 'Origins' })
        .getByRole('row')
        .filter({ hasText: endpoint.url });
      await origin.filter({ hasText: /500/ }).waitFor();
      await origin.getByRole('button', { name: 'Pause' }).click();
      await origin.filter({ hasText: 'paused' }).waitFor();
      await origin.getByRole('button', { name: 'Resume' }).click();
      await origin.filter({ hasText: 'allowed' }).waitFor();
      await page.getByRole('button', { name: 'Test a URL…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Destination').fill(`${endpoint.url}/hook`);
      await dialog.getByRole('button', { name: 'Test' }).click();
      await dialog.getByText('may be called').waitFor();
      await dialog.getByText(/^200 in /).waitFor();
      expect(await findings(page)).toEqual([]);
      await page.goto(`${server.url}/console/`);
      await page
        .getByRole('table', { name: 'Origins with the most failures' })
        .getByRole('row')
        .filter({ hasText: endpoint.url })
        .waitFor();
    },
    browserLimitMs,
  );

  it(
    'let only the role admin pause origins and test URLs, as the server does',
    async () => {
      await post(`/v2/publish/${endpoint.url}/quick`);
      const asked = JSON.stringify({ name: 'operator', role: 'operate', expiresAt: null });
      const admin = { authorization: server.basic };
      const { body } = await callApi(server, 'POST', '/admin/tokens', admin, asked);
      const { token } = body as { token: string };
      const page = await visits.signedIn(server, '/endpoints', token);
      for (const name of ['Test a URL…', `Pause ${endpoint.url}`]) {
        const button = page.getByRole('button', { name });
        await button.waitFor();
        expect(await button.isDisabled()).toBe(true);
        expect(await button.getAttribute('title')).toContain('the role admin');
      }
      expect(await page.getByRole('button', { name: 'Add endpoints' }).isEnabled()).toBe(true);
    },
    browserLimitMs,
  );

  it(
    'say above their rows what the server refuses',
    async () => {
      await callApi(server, 'POST', '/v2/queues', {}, '{"queueName":"refused"}');
      const page = await open('/queues');
      const refusal = page.getByRole('alert').filter({ hasText: 'the disk is full (507)' });
      await page.route('**/v2/queues/refused/pause', (route) =>
        route.fulfill({ status: 507, json: { error: 'the disk is full' } }),
      );
      await page.getByRole('button', { name: 'Pause refused' }).click();
      await refusal.waitFor();
      expect(await findings(page)).toEqual([]);
      // The browser itself reports the answer 507.
      expect(visits.faults.splice(0)).toEqual([expect.stringContaining('507')]);
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Pause refused' }).click();
      await page.getByRole('button', { name: 'Resume refused' }).waitFor();
      expect(await refusal.count()).toBe(0);
    },
    browserLimitMs,
  );
});
