import type { Locator, Page } from 'playwright-core';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { findings } from '../../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../../support/console/chromium.js';
import { visitsInChromium } from '../../support/console/visits.js';
import { startServer, type TestServer } from '../../support/server.js';

describeInChromium('what cannot be taken back, in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;
  /** The status that the destination answers. */
  let status = 500;

  const open = (path: string) => visits.signedIn(server, path);
  const post = async (path: string, headers: Record<string, string>) => {
    const { body } = await callApi(server, 'POST', path, headers, 'x');
    return (body as { messageId: string }).messageId;
  };
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await callApi(server, 'GET', path, headers)).body;
  const letters = async (label: string) => {
    const { messages } = (await get(`/v2/dlq?label=${label}`)) as { messages: { url: string }[] };
    return messages.map(({ url }) => url.slice(endpoint.url.length));
  };
  /** Publishes a message that fails for good, and waits until it has failed. */
  const fail = async (path: string, label: string) => {
    await post(`/v2/publish/${endpoint.url}${path}`, { 'svc-retries': '0', 'svc-label': label });
    while (!(await letters(label)).includes(path)) await endpoint.received(1);
  };
  /** A double click whose first click has its effect before the second. */
  const doubleClick = async (page: Page, button: Locator, afterFirst: () => Promise<void>) => {
    const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
    await page.mouse.move(x + 8, y + 8);
    await page.mouse.down();
    await page.mouse.up();
    await afterFirst();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  };

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(() => ({ status }));
    server = await startServer();
  }, browserLimitMs);

  afterEach(() => {
    status = 500;
  });

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'is a queue with its messages, whose number is shown first',
    async () => {
      const path = `/v2/enqueue/doomed/${endpoint.url}`;
      const id = await post(path, { 'svc-delay': '1h' });
      await post(path, { 'svc-delay': '1h' });
      const page = await open('/queues');
      const ask = async () => {
        await page.getByRole('button', { name: 'Change doomed' }).click();
        await page.getByRole('button', { name: 'Delete the queue…' }).click();
        const name = 'Delete the queue doomed and cancel its 2 messages?';
        const dialog = page.getByRole('dialog', { name });
        await dialog.waitFor();
        return dialog;
      };
      const dialog = await ask();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      expect(await get(`/v2/messages/${id}`)).toMatchObject({ queueName: 'doomed' });
      await ask();
      await dialog.getByRole('button', { name: 'Delete the queue' }).click();
      await page.getByText('No queues yet').waitFor();
      expect(await get(`/v2/messages/${id}?final=true`)).toMatchObject({ state: 'CANCELED' });
    },
    browserLimitMs,
  );

  it(
    'is asked before, so that a double click does nothing, and acts on what it names',
    async () => {
      const admin = { authorization: server.basic };
      const { url } = endpoint;
      for (const name of ['first', 'second']) {
        const token = JSON.stringify({ name, role: 'read' });
        await callApi(server, 'POST', '/admin/tokens', admin, token);
        const group = JSON.stringify({ endpoints: [{ url: `${url}/one` }, { url: `${url}/two` }] });
        await callApi(server, 'POST', `/v2/topics/${name}/endpoints`, {}, group);
        await fail(`/${name}`, 'asked');
      }
      const names = async (path: string, headers = {}) =>
        ((await get(path, headers)) as { name: string }[]).map(({ name }) => name);
      const page = await open('/');
      const button = (name: string) => page.getByRole('button', { name, exact: true }).first();
      const act = async (path: string, name: string, question: string, confirm: string) => {
        await page.goto(`${server.url}/console${path}`);
        const dialog = page.getByRole('dialog', { name: question });
        await button(name).waitFor();
        await doubleClick(page, button(name), () => dialog.waitFor());
        await dialog.getByRole('button', { name: confirm }).dblclick();
        await dialog.waitFor({ state: 'detached' });
      };
      await act('/settings', 'Revoke first', 'Revoke the token first?', 'Revoke');
      expect(await names('/admin/tokens', admin)).toEqual(['second']);
      const from = `Remove ${url}/one from the group first?`;
      await act('/endpoints', `Remove ${url}/one`, from, 'Remove');
      const left = (await get('/v2/topics/first')) as { endpoints: { url: string }[] };
      expect(left.endpoints.map((each) => each.url)).toEqual([`${url}/two`]);
      await act('/endpoints', 'Delete group…', 'Delete the group first?', 'Delete');
      expect(await names('/v2/topics')).toEqual(['second']);
      const letter = `Delete the dead letter of ${url}/second?`;
      await act('/dead-letters?label=asked', `Delete ${url}/second`, letter, 'Delete');
      expect(await letters('asked')).toEqual(['/first']);
      const id = await post(`/v2/publish/${url}/later`, { 'svc-delay': '1h' });
      const cancel = `Cancel the message POST ${url}/later?`;
      await act(`/messages/${id}`, 'Cancel…', cancel, 'Cancel the message');
      expect(await get(`/v2/messages/${id}?final=true`)).toMatchObject({ state: 'CANCELED' });
    },
    browserLimitMs,
  );

  it(
    'does not lead to the page of its row while it is asked for',
    async () => {
      await fail('/asked', 'row');
      const page = await open('/dead-letters?label=row');
      await page.getByRole('button', { name: /^Delete http/ }).click();
      await page.getByText('Deleted dead letters cannot be retried.').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      expect(new URL(page.url()).pathname).toBe('/console/dead-letters');
      expect(await letters('row')).toEqual(['/asked']);
    },
    browserLimitMs,
  );

  it(
    'is not the retry of a dead letter, but a double click retries that one only',
    async () => {
      for (const path of ['/older', '/newer']) await fail(path, 'twice');
      const page = await open('/dead-letters?label=twice');
      const row = (path: string) => page.getByRole('row').filter({ hasText: path });
      const retry = (path: string) => row(path).getByRole('button', { name: /^Retry/ });
      let retries = 0;
      page.on('request', (request) => {
        if (request.url().includes('/dlq/retry')) retries += 1;
      });
      await retry('/older').waitFor();
      await retry('/newer').waitFor();
      status = 200;
      await doubleClick(page, retry('/newer'), () => row('/newer').waitFor({ state: 'detached' }));
      await row('/older').getByRole('checkbox').check();
      await page.getByText('1 chosen').waitFor();
      expect(retries).toBe(1);
      expect(await letters('twice')).toEqual(['/older']);
    },
    browserLimitMs,
  );
});
