import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callLog } from '../support/clients/log-api.js';
import { until } from '../support/cluster/test-cluster.js';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { flipByte } from '../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../support/server.js';

/** About six records in a segment. */
const ports = { fileSizes: { segmentBytes: 4096, reserveBytes: 0 } };

describeInChromium('topics in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;

  const open = (path: string) => visits.signedIn(server, path);

  afterEach(async () => {
    await server.remove();
  }, browserLimitMs);

  it(
    'are followed over thousands of records, of which only the visible ones are drawn',
    async () => {
      server = await startServer();
      await callLog(server, '/admin/topics', { name: 'fast', partitions: 4 });
      const produce = async (from: number, count: number) => {
        const records = Array.from({ length: count }, (_, index) => ({
          topic: 'fast',
          key: `k${from + index}`,
          value: `value ${from + index}`,
        }));
        await callLog(server, '/produce', records);
      };
      const page = await open('/topics/fast');
      await produce(0, 1);
      const seen = (records: number) => page.locator(`[data-seen="${records}"]`).waitFor();
      await seen(1);
      for (let from = 1; from < 10_001; from += 500) await produce(from, 500);
      await seen(10_001);
      const table = page.getByRole('table', { name: 'Records' });
      expect(Number(await table.getAttribute('aria-rowcount'))).toBe(1000);
      expect(await table.locator('tbody tr').count()).toBeLessThan(100);
      // The page handles clicks only after all of these records.
      await page.getByRole('button', { name: 'Hold' }).click();
      await page.getByRole('button', { name: 'Follow' }).waitFor();
    },
    browserLimitMs,
  );

  it(
    'are followed at a thousand records a second for ten seconds without a gap',
    async () => {
      server = await startServer();
      await callLog(server, '/admin/topics', { name: 'paced', partitions: 4 });
      const page = await open('/topics/paced');
      const produce = (count: number) =>
        callLog(
          server,
          '/produce',
          Array.from({ length: count }, (_, index) => ({ topic: 'paced', value: `${index}` })),
        );
      await produce(1);
      await page.locator('[data-seen="1"]').waitFor();
      for (let round = 0; round < 100; round += 1) {
        await Promise.all([produce(100), new Promise((resolve) => setTimeout(resolve, 100))]);
        if (round !== 50) continue;
        // Meanwhile the page reacts to clicks.
        await page.getByRole('button', { name: 'Produce…' }).click();
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await page.locator('[data-seen="10001"]').waitFor();
      const drawn = page.getByRole('table', { name: 'Records' }).locator('tbody tr');
      expect(await drawn.count()).toBeLessThan(100);
    },
    browserLimitMs,
  );

  it(
    'are kept up to what a browser can hold, however long they are',
    async () => {
      server = await startServer();
      await callLog(server, '/admin/topics', { name: 'long', partitions: 1 });
      const page = await open('/topics/long');
      const value = 'x'.repeat(1024 * 1024);
      for (let times = 0; times < 40; times += 1) await callLog(server, '/produce/long', { value });
      await page.locator('[data-seen="40"]').waitFor();
      const table = page.getByRole('table', { name: 'Records' });
      expect(await table.getAttribute('aria-rowcount')).toBe('32');
      await table.getByText('0:39').waitFor();
      // A line has no room for more of its value.
      expect((await table.textContent())?.length).toBeLessThan(100_000);
    },
    browserLimitMs,
  );

  it(
    'are read page by page from an offset, the oldest records first',
    async () => {
      server = await startServer();
      await callLog(server, '/admin/topics', { name: 'paged', partitions: 2 });
      const produce = (partition: number, count: number) =>
        callLog(
          server,
          '/produce',
          Array.from({ length: count }, (_, index) => ({
            topic: 'paged',
            partition,
            value: `value ${index}`,
          })),
        );
      for (const partition of [0, 1]) await produce(partition, 1100);
      const page = await open('/topics/paged?from=50');
      const seen = (records: number) => page.locator(`[data-seen="${records}"]`).waitFor();
      const next = page.getByRole('button', { name: 'Next 1,000' });
      const table = page.getByRole('table', { name: 'Records' });
      const offsets = table.locator('tbody td:first-child');
      await seen(1000);
      expect(await offsets.first().textContent()).toBe('0:50');
      expect(await table.getAttribute('aria-rowcount')).toBe('1000');
      await next.first().click();
      await page.getByText('0:50', { exact: true }).waitFor({ state: 'detached' });
      await seen(1000);
      await next.last().click();
      await seen(100);
      expect(await next.count()).toBe(0);
      // The last page follows the topic.
      await produce(1, 1);
      await seen(101);
      await page.getByLabel(/^From/).fill('1099');
      await seen(3);
      expect(await offsets.allTextContents()).toEqual(['0:1099', '1:1099', '1:1100']);
    },
    browserLimitMs,
  );

  it(
    'are called open only once the server sends them, and name an empty value',
    async () => {
      server = await startServer();
      await callLog(server, '/admin/topics', { name: 'rides', partitions: 1 });
      const page = await open('/topics');
      let answer: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route('**/tail/rides?*', async (route) => {
        await asked;
        await route.continue();
      });
      await page.getByRole('link', { name: 'rides' }).click();
      await page.getByLabel('Value contains').waitFor();
      const isOpen = page.getByText('The stream is open');
      expect(await isOpen.count()).toBe(0);
      answer();
      await isOpen.waitFor();
      await callLog(server, '/produce/rides', { value: '' });
      await page.getByRole('button', { name: 'empty' }).click();
      await page.getByRole('dialog').getByText('The value is empty.').waitFor();
    },
    browserLimitMs,
  );

  it(
    'say how many groups were not examined for one',
    async () => {
      server = await startServer();
      await callLog(server, '/admin/topics', { name: 'late', partitions: 1 });
      for (let group = 0; group < 52; group += 1) {
        await callLog(
          server,
          `/consume/group-${group}/i/${group < 51 ? 'other' : 'late'}?timeout=0`,
        );
      }
      const page = await open('/topics/late');
      await page.getByText('Of the 52 groups of this server, 2 were not examined.').waitFor();
    },
    browserLimitMs,
  );

  it(
    'are followed again after a proxy has answered for a server that was away',
    async () => {
      server = await startServer();
      await callLog(server, '/produce/rides', { value: 'hello' });
      const page = await open('/topics');
      let refused = 0;
      await page.route('**/tail/rides?*', (route) => {
        refused += 1;
        return refused > 1 ? route.continue() : route.fulfill({ status: 502, body: '' });
      });
      await page.getByRole('link', { name: 'rides' }).click();
      await page.getByRole('button', { name: 'hello' }).waitFor();
      // The browser itself reports the answer 502.
      expect(visits.faults.splice(0)).toContainEqual(expect.stringContaining('502'));
    },
    browserLimitMs,
  );

  it(
    'are followed from the start of a stream that was cut before its first record',
    async () => {
      server = await startServer();
      await callLog(server, '/admin/topics', { name: 'rides', partitions: 1 });
      const page = await open('/topics');
      const places: (string | undefined)[] = [];
      await page.route('**/tail/rides?*', (route) => {
        places.push(route.request().headers()['last-event-id']);
        const body = ': connected\nid: 0:0\n\n';
        const answer = { status: 200, contentType: 'text/event-stream', body };
        return places.length > 1 ? route.continue() : route.fulfill(answer);
      });
      await page.getByRole('link', { name: 'rides' }).click();
      await until(() => places.length > 1);
      expect(places.slice(0, 2)).toEqual([undefined, '0:0']);
    },
    browserLimitMs,
  );

  it(
    'show all headers of a record, even two with one name, and one named like a built-in field',
    async () => {
      server = await startServer();
      const headers = [
        { key: 'trace', value: 'first' },
        { key: 'trace', value: 'second' },
        { key: 'Time', value: 'not the time' },
      ];
      await callLog(server, '/produce/rides', { value: 'hello', headers });
      const page = await open('/topics/rides');
      await page.getByRole('button', { name: 'hello' }).click();
      const facts = page.getByRole('dialog').locator('dd');
      await facts.first().waitFor();
      const shown = await facts.allTextContents();
      expect(shown.slice(1)).toEqual(['first', 'second', 'not the time']);
      expect(shown[0]).toMatch(/^\d{4}-\d\d-\d\d /);
    },
    browserLimitMs,
  );

  it(
    'say which of their records are damaged, and show the others',
    async () => {
      const whole = await startServer({ ports });
      for (let offset = 0; offset < 30; offset += 1) {
        const value = `value ${offset};`.padEnd(500, '.');
        await callLog(whole, '/produce/rides', { value, partition: 0 });
      }
      await whole.stop();
      await damage(join(whole.dataDirectory, 'logs'), 'value 8;');
      server = await startServer({ ports, dataDirectory: whole.dataDirectory });
      // The damage is found when the record is read.
      const position = { topic: 'rides', partition: 0, offset: 8 };
      expect((await callLog(server, '/fetch', position)).status).toBe(500);
      const page = await open('/topics/rides?from=9');
      await page.getByText('damaged from 8 to 8').waitFor();
      await page.getByRole('table', { name: 'Records' }).getByText('value 29;').waitFor();
      expect(await findings(page)).toEqual([]);
    },
    browserLimitMs,
  );
});

/** Flips a byte in the record that holds `text`; the first log is the journal. */
async function damage(logs: string, text: string): Promise<void> {
  for (const log of (await readdir(logs)).sort().slice(1)) {
    for (const name of await readdir(join(logs, log))) {
      const path = join(logs, log, name);
      const at = name.endsWith('.log') ? (await readFile(path)).indexOf(text) : -1;
      if (at < 0) continue;
      await flipByte(path, at);
      return;
    }
  }
  throw new Error(`no log holds ${text}`);
}
