import type { Page } from 'playwright-core';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { findings } from '../../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../../support/console/chromium.js';
import { visitsInChromium } from '../../support/console/visits.js';
import { startServer, type TestServer } from '../../support/server.js';

/** Every possible byte once. */
const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

describeInChromium('bodies in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;
  let endpoint: RecordingEndpoint;

  const publish = async (
    path: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${server.url}/v2/publish/${endpoint.url}${path}`, {
      method: 'POST',
      headers: { authorization: server.bearer, ...headers },
      body,
    });
    return ((await response.json()) as { messageId: string }).messageId;
  };
  const open = async (id: string): Promise<Page> => {
    const page = await visits.signedIn(server, `/messages/${id}`);
    await page.getByRole('heading', { name: 'Request' }).waitFor();
    return page;
  };
  const region = (page: Page, title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });

  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(({ url }) =>
      url === '/broken' ? { status: 500, body: bytes } : { body: 'thanks' },
    );
    server = await startServer();
  }, browserLimitMs);

  afterAll(async () => {
    await server.remove();
    await endpoint.stop();
  }, browserLimitMs);

  it(
    'are shown as bytes if they are not text, and are sent again unchanged',
    async () => {
      const id = await publish('/bytes', bytes, { 'content-type': 'image/png' });
      await endpoint.received(endpoint.requests.length + 1);
      const page = await open(id);
      const request = region(page, 'Request');
      await request.getByText('256 B that are not text.').waitFor();
      expect(await request.textContent()).toContain('000040  40 41 42 43');
      expect(await request.textContent()).toContain('--data-binary @body.bin');
      expect(await findings(page)).toEqual([]);
      const saved = page.waitForEvent('download');
      await request.getByRole('button', { name: 'Save all' }).click();
      expect((await saved).suggestedFilename()).toBe('body.bin');

      const before = endpoint.requests.length;
      await page.getByRole('button', { name: 'Resend…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('The body is sent unchanged: 256 B that are not text.').waitFor();
      await dialog.getByRole('button', { name: 'Publish' }).click();
      await dialog.waitFor({ state: 'detached' });
      const requests = await endpoint.received(before + 1);
      expect(requests.at(-1)?.body.equals(bytes)).toBe(true);
      expect(requests.at(-1)?.headers['content-type']).toBe('image/png');
    },
    browserLimitMs,
  );

  it(
    'are shown as bytes in answers that are not text',
    async () => {
      const page = await open(await publish('/broken', 'x', { 'svc-retries': '0' }));
      await page.getByRole('button', { name: /the destination answered 500/ }).click();
      await page.getByText('256 B that are not text.').waitFor();
    },
    browserLimitMs,
  );

  it(
    'keep the numbers of JSON as they were written',
    async () => {
      const page = await open(await publish('/json', '{"id":12345678901234567890}'));
      await page.getByText(/^\{\s+"id": 12345678901234567890\s+\}$/).waitFor();
    },
    browserLimitMs,
  );

  it(
    'are cut if they are long, and the life of the message is shown all the same',
    async () => {
      const long = 'line of text\n'.repeat(400_000);
      const headers = { 'svc-retries': '3', 'svc-retry-delay': '1' };
      const page = await open(await publish('/broken', long, headers));
      await page.getByText('The first 100,000 of 5,200,000 characters.').waitFor();
      await page.getByText('failed', { exact: true }).first().waitFor();
      const attempts = page.getByRole('button', { name: /the destination answered 500/ });
      await attempts.nth(3).waitFor();
      expect(await attempts.count()).toBe(4);
      const request = await region(page, 'Request').textContent();
      expect(request).toContain('--data-binary @body.txt');
    },
    browserLimitMs,
  );

  it(
    'that are hidden are not sent again as their digest',
    async () => {
      const page = await open(await publish('/hidden', 'secret', { 'svc-redact-fields': 'body' }));
      const resend = page.getByRole('button', { name: 'Resend…' });
      expect(await resend.isDisabled()).toBe(true);
      expect(await resend.getAttribute('title')).toContain('is not shown');
    },
    browserLimitMs,
  );
});
