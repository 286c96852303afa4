import type { Browser } from 'playwright-core';
import { callApi } from '../support/clients/api-call.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { findings } from '../support/console/axe.js';
import {
  browserLimitMs,
  describeInChromium,
  launchBrowser,
  openConsole,
  signIn,
} from '../support/console/chromium.js';
import { flipByteOf } from '../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../support/server.js';

/** Nothing is sent to this address: all messages are due in an hour. */
const target = 'http://127.0.0.1:19999/x';
const later = { 'svc-delay': '1h' };
/** More bytes than the server caches. */
const others = 3;
const otherBytes = 9_000_000;

const sentence = /^data on the disk is damaged and cannot be read: logs.*, bytes \d+ to \d+;/;

describeInChromium('damaged data in a browser', () => {
  let browser: Browser;
  let server: TestServer;

  const post = async (path: string, body: string, headers: Record<string, string> = later) =>
    (await callApi(server, 'POST', path, headers, body)).body as Record<string, string>;

  beforeAll(async () => {
    server = await startServer();
    browser = await launchBrowser();
  }, browserLimitMs);

  afterAll(async () => {
    await browser.close();
    await server.remove();
  }, browserLimitMs);

  it(
    'is reported on each page that would read it, and lists show the rest',
    async () => {
      const { messageId } = await post(`/v2/publish/${target}`, 'the body of a message');
      const { workflowRunId } = await post(`/v2/trigger/${target}`, 'the payload of a run');
      for (let count = 0; count < others; count += 1) {
        await post(`/v2/publish/${target}`, 'x'.repeat(otherBytes));
      }
      await flipByteOf('the body of a message', server.dataDirectory);
      await flipByteOf('the payload of a run', server.dataDirectory);
      const answer = await callApi(server, 'GET', `/v2/messages/${messageId}`);
      expect(answer.status).toBe(500);
      expect(String((answer.body as { error: string }).error)).toMatch(sentence);
      const { page, faults, close } = await openConsole(browser, server, '/queues');
      await signIn(page, server.token);
      for (const path of [
        ...[`/messages/${messageId}`, '/messages', `/workflows/${workflowRunId}`, '/workflows'],
        ...['/time-machine', `/time-machine?stream=message/${messageId}`],
      ]) {
        await page.goto(`${server.url}/console${path}`);
        const alert = page.getByRole('alert').filter({ hasText: 'damaged data' }).first();
        await alert.waitFor();
        await alert.getByText(/logs\/\d+\/\d+\.log, bytes \d+ to \d+/).waitFor();
        expect([path, await findings(page)]).toEqual([path, []]);
      }
      await page.goto(`${server.url}/console/messages`);
      const listed = page.getByRole('table', { name: 'Messages' }).getByRole('link');
      await listed.nth(others - 1).waitFor();
      expect(await listed.count()).toBe(others);
      await page.goto(`${server.url}/console/queues`);
      await page.getByText('No queues yet').waitFor();
      // The browser itself reports the answer 500; nothing else may go wrong.
      expect(faults.filter((fault) => !fault.includes('500'))).toEqual([]);
      await close();
    },
    browserLimitMs,
  );

  it(
    'is named above the remaining rows of a message and of a run',
    async () => {
      const endpoint = await RecordingEndpoint.start(() => ({ status: 500, body: 'the answer' }));
      const retried = { 'svc-retries': '1', 'svc-retry-delay': '3600000' };
      const { messageId } = await post(`/v2/publish/${endpoint.url}`, 'a body', retried);
      const { workflowRunId } = await post(`/v2/trigger/${endpoint.url}/run`, 'a run', retried);
      for (const path of [
        `/v2/logs?messageId=${messageId}&state=ERROR`,
        `/v2/workflows/messageLogs?workflowRunId=${workflowRunId}&state=ERROR`,
      ]) {
        await rowsOf(server, path);
      }
      for (let count = 0; count < others; count += 1) {
        await post(`/v2/publish/${target}`, 'x'.repeat(otherBytes));
      }
      await flipByteOf('the answer', server.dataDirectory);
      await flipByteOf('the answer', server.dataDirectory);
      const { page, close } = await openConsole(browser, server, '/queues');
      await signIn(page, server.token);
      for (const path of [`/messages/${messageId}`, `/workflows/${workflowRunId}`]) {
        await page.goto(`${server.url}/console${path}`);
        await page.getByText('The list lacks what the server could not read').waitFor();
        await page
          .getByText(path.startsWith('/m') ? 'Attempts' : 'Steps')
          .first()
          .waitFor();
        expect([path, await findings(page)]).toEqual([path, []]);
      }
      await close();
      await endpoint.stop();
    },
    browserLimitMs,
  );
});

/** Waits until a listing has a row. */
async function rowsOf(server: TestServer, path: string): Promise<void> {
  for (;;) {
    const { body } = await callApi(server, 'GET', path);
    const { logs, events } = body as { logs?: unknown[]; events?: unknown[] };
    if ((logs ?? events ?? []).length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
