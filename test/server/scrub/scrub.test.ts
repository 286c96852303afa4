import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { Journal } from '../../../src/engine/journal.js';
import { Scrubber } from '../../../src/server/scrub/scrubber.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { flipByte } from '../../support/program/flipped-byte.js';
import { seed } from '../../support/seed.js';
import { startServer, type TestServer } from '../../support/server.js';

async function publish(server: TestServer, url: string, bytes: number): Promise<void> {
  const response = await fetch(`${server.url}/v2/publish/${url}`, {
    method: 'POST',
    headers: { authorization: server.bearer, 'svc-delay': '1h' },
    body: Buffer.alloc(bytes, 'x'),
  });
  expect(response.status).toBe(200);
}

async function produce(server: TestServer, bytes: number): Promise<void> {
  await fetch(`${server.url}/produce/orders`, {
    method: 'POST',
    headers: { authorization: server.basic },
    body: JSON.stringify([{ value: 'y'.repeat(bytes), key: 'k' }]),
  });
}

/** The segment files of each log but the last two, of which one grows and one is prepared. */
async function sealed(data: string): Promise<string[]> {
  const files: string[] = [];
  for (const log of await readdir(join(data, 'logs'))) {
    const names = (await readdir(join(data, 'logs', log))).filter((name) => name.endsWith('.log'));
    files.push(...names.slice(0, -2).map((name) => join(data, 'logs', log, name)));
  }
  return files;
}

async function metric(server: TestServer, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:{.*})? (\\S+)`, 'm').exec(text)?.[1]);
}

/** Waits until all is hashed, as hashing also finds damage, which is not tested here. */
async function allHashed(server: TestServer): Promise<void> {
  const { segments } = server.application.nest.get(Journal, { strict: false });
  const growsFrom = segments.at(-1)?.baseOffset;
  while ((await metric(server, 'stepwell_journal_head_offset')) !== growsFrom) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the scrub', () => {
  it(`finds what is damaged while the server serves, and says it once (seed ${seed})`, async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => lines.push(line) });
    const endpoint = await RecordingEndpoint.start();
    const server = await startServer({
      environment: { STEPWELL_SCRUB_RATE: '1gb' },
      ports: { log, fileSizes: { segmentBytes: 40_000, reserveBytes: 0 } },
    });
    for (let count = 0; count < 30; count += 1) {
      await publish(server, endpoint.url, 5000);
      await produce(server, 5000);
    }
    const scrubber = server.application.nest.get(Scrubber, { strict: false });
    await scrubber.pass();
    expect(lines).toEqual([]);
    expect(await metric(server, 'stepwell_scrub_damaged_segments')).toBe(0);
    expect(await metric(server, 'stepwell_scrub_bytes_total')).toBeGreaterThan(200_000);
    expect(await metric(server, 'stepwell_scrub_last_pass_timestamp_seconds')).toBeGreaterThan(1e9);
    await allHashed(server);
    const random = new SeededRandom(seed);
    const files = await sealed(server.dataDirectory);
    expect(files.length).toBeGreaterThan(5);
    const hurt = [random.pick(files.slice(0, 3)), random.pick(files.slice(-3))];
    for (const file of hurt) await flipByte(file, random.below(30_000));
    await scrubber.pass();
    const logged = lines.map((line) => JSON.parse(line) as { file: string; msg: string });
    expect(logged.map(({ file }) => file).sort()).toEqual([...hurt].sort());
    expect(logged[0]?.msg).toMatch(/^the scrub found damage: damaged data: .* bytes \d+ to \d+/);
    await scrubber.pass();
    expect(lines).toHaveLength(2);
    expect(await metric(server, 'stepwell_scrub_damaged_segments')).toBe(2);
    const ready = await fetch(`${server.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      state: 'serving',
      warnings: [expect.stringMatching(/^2 sealed segments are damaged/)],
    });
    await publish(server, endpoint.url, 10);
    await server.remove();
    await endpoint.stop();
  });

  it('forgets damage that a purge has removed', async () => {
    const server = await startServer({
      ports: { fileSizes: { segmentBytes: 40_000, reserveBytes: 0 } },
    });
    for (let count = 0; count < 60; count += 1) await produce(server, 5000);
    const files = await sealed(server.dataDirectory);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files.slice(0, 2)) await flipByte(file, 20_000);
    const scrubber = server.application.nest.get(Scrubber, { strict: false });
    await scrubber.pass();
    expect(await metric(server, 'stepwell_scrub_damaged_segments')).toBe(2);
    await scrubber.release();
    expect(await metric(server, 'stepwell_scrub_damaged_segments')).toBe(2);
    const headers = { authorization: server.basic };
    const topic = await fetch(`${server.url}/admin/topics/orders`, { headers });
    const { offsets } = (await topic.json()) as {
      offsets: readonly { partition: number; latest: number }[];
    };
    const purged = await fetch(`${server.url}/admin/topics/orders/purge`, {
      method: 'POST',
      headers,
      body: JSON.stringify(offsets.map(({ partition, latest }) => ({ partition, before: latest }))),
    });
    expect(purged.status).toBe(200);
    await scrubber.release();
    expect(await metric(server, 'stepwell_scrub_damaged_segments')).toBe(0);
    expect(await (await fetch(`${server.url}/health/ready`)).json()).not.toHaveProperty('warnings');
    await server.remove();
  });
});
