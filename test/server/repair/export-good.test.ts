import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerOptions } from '../../../src/cli/journal/journal-reader.js';
import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { restore } from '../../../src/server/backup/restore.js';
import { type ExportReport, exportGood } from '../../../src/server/repair/export-good.js';
import { recordsOf } from '../../../src/server/repair/log-records.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { openStore } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { flipByte } from '../../support/program/flipped-byte.js';
import { seed } from '../../support/seed.js';
import { startServer, type TestServer } from '../../support/server.js';

/** More rounds for longer runs. */
const rounds = Number(process.env['EXPORT_ROUNDS'] ?? 3);

let folder = '';
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-export-'));
  endpoint = await RecordingEndpoint.start();
  const dataDirectory = join(folder, 'clean');
  await mkdir(dataDirectory);
  const ports = { fileSizes: { segmentBytes: 12_000, reserveBytes: 0 } };
  const server = await startServer({ dataDirectory, ports });
  for (let count = 0; count < 25; count += 1) await live(server, count);
  await cp(dataDirectory, join(folder, 'killed'), { recursive: true });
  await server.stop();
});

afterAll(async () => {
  await endpoint.stop();
  await rm(folder, { recursive: true });
});

/** Creates data of every kind: messages that wait and that were delivered, schedules, records. */
async function live(server: TestServer, count: number): Promise<void> {
  const post = async (path: string, authorization: string, body: string, headers = {}) => {
    const init = { method: 'POST', headers: { authorization, ...headers }, body };
    const response = await fetch(`${server.url}${path}`, init);
    expect(response.status).toBeLessThan(300);
  };
  const { bearer, basic } = server;
  const text = 'x'.repeat(300);
  await post(`/v2/publish/${endpoint.url}`, bearer, text, { 'svc-delay': '1h' });
  await post(`/v2/publish/${endpoint.url}`, bearer, text, { 'svc-queue-name': 'q' });
  if (count % 4 === 0) {
    const headers = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': `s-${count % 8}` };
    await post(`/v2/schedules/${endpoint.url}`, bearer, text, headers);
  }
  if (count % 8 === 7) {
    const response = await fetch(`${server.url}/v2/schedules/s-0`, {
      method: 'DELETE',
      headers: { authorization: bearer },
    });
    expect(response.status).toBe(200);
  }
  await post('/produce/orders', basic, JSON.stringify([{ value: text, key: 'k' }]));
  await post('/consume/g/i', basic, JSON.stringify({ topic: 'orders', timeout: 0 }));
}

/** Key and value of every readable record, by log and offset. */
async function recordsIn(path: string): Promise<Map<string, string>> {
  const store = await openStore(nodeDisk, path, { ...readerOptions, isolatesDamage: () => true });
  const found = new Map<string, string>();
  for (const log of store.logs()) {
    for await (const { offset, key, value } of recordsOf(log)) {
      const content = `${key?.toString('base64')} ${value?.toString('base64')}`;
      found.set(`${log.name} ${offset}`, content);
    }
  }
  await store.close();
  return found;
}

/** Whether a record is behind all `known` records of its log. */
function isBehind(place: string, known: ReadonlyMap<string, string>): boolean {
  const [log = '', offset = ''] = place.split(' ');
  const own = [...known.keys()].filter((each) => each.startsWith(`${log} `));
  return own.every((each) => Number(each.split(' ')[1]) < Number(offset));
}

async function files(path: string): Promise<string[]> {
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  const found = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return found.filter((file) => /\.log$|\.index$|MANIFEST|WATERMARKS/.test(file)).sort();
}

const tools = { disk: nodeDisk, options: readerOptions, onProgress: () => undefined };

function isMissing(report: ExportReport, place: string, content: string): boolean {
  const [log = '', offset = ''] = place.split(' ');
  const inGap = report.gaps.some((gap) => {
    return gap.log === log && gap.from <= Number(offset) && Number(offset) < gap.until;
  });
  const key = Buffer.from(content.split(' ')[0] ?? '', 'base64').toString();
  return inGap || (log === '__journal' && report.changed.some(({ stream }) => stream === key));
}

/** Expects that the report names exactly what the export has left out. */
async function expectNamed(before: Map<string, string>, to: string, report: ExportReport) {
  const after = await recordsIn(to);
  let removed = 0;
  for (const [place, content] of before) {
    const kept = after.get(place);
    if (kept === content) continue;
    expect([place, isMissing(report, place, content)]).toEqual([place, true]);
    const [log, offset] = place.split(' ');
    const inGap = report.gaps.some(
      (gap) => gap.log === log && gap.from <= Number(offset) && Number(offset) < gap.until,
    );
    if (!inGap) removed += 1;
  }
  expect(removed).toBe(report.removedEvents);
}

describe('journal export --good', () => {
  it(`leaves out what its report names, and nothing else (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const whole = new Map<string, Map<string, string>>();
    for (const name of ['clean', 'killed']) whole.set(name, await recordsIn(join(folder, name)));
    let changed = 0;
    let gaps = 0;
    for (let round = 0; round < rounds; round += 1) {
      const name = round % 3 === 2 ? 'killed' : 'clean';
      const data = join(folder, `data-${round}`);
      await cp(join(folder, name), data, { recursive: true });
      const flips: string[] = [];
      const candidates = await files(data);
      for (let flip = 0; flip <= round % 3; flip += 1) {
        const file = random.pick(
          round % 2 === 0 ? candidates.filter((each) => each.includes('0000000000/')) : candidates,
        );
        const { size } = await stat(file);
        if (size === 0) continue;
        const at = random.below(Math.min(size, 12_000));
        flips.push(`${file} ${at}`);
        await flipByte(file, at);
      }
      try {
        const source = await Promise.all(
          (await files(data)).map((file) => readFile(file, 'base64')),
        );
        const to = join(folder, `good-${round}`);
        const report = await exportGood(tools, data, to);
        expect(
          await Promise.all((await files(data)).map((file) => readFile(file, 'base64'))),
        ).toEqual(source);
        await expectNamed(whole.get(name) ?? new Map(), to, report);
        changed += report.changed.length;
        gaps += report.gaps.length;
        const next = join(folder, `next-${round}`);
        await restore(tools, to, next, { skip: 100 });
        expect((await verifyFolder(next)).problems).toEqual([]);
        const server = await startServer({ dataDirectory: next });
        await live(server, 1);
        await server.stop();
        expect((await verifyFolder(next)).problems).toEqual([]);
        for (const path of [data, to, next]) await rm(path, { recursive: true });
      } catch (error) {
        throw new Error(`${flips.join(', ')}: ${error instanceof Error ? error.stack : error}`);
      }
    }
    expect(gaps).toBeGreaterThan(0);
    console.info(`${gaps} gaps, ${changed} streams changed`);
  }, 300_000);

  it.each(['clean', 'killed'])(
    'rebuilds the manifest if neither copy begins intact, and says so: %s',
    async (stop) => {
      const data = join(folder, `headless-${stop}`);
      await cp(join(folder, stop), data, { recursive: true });
      for (const name of ['MANIFEST', 'MANIFEST.copy']) await flipByte(join(data, name), 0);
      const [to, next] = [join(folder, `rebuilt-${stop}`), join(folder, `started-${stop}`)];
      const report = await exportGood(tools, data, to);
      expect(report).toMatchObject({ gaps: [], changed: [], uncertain: [], removedEvents: 0 });
      expect(report.damages.join()).toMatch(/it was rebuilt from the segments/);
      const [before, after] = [await recordsIn(join(folder, stop)), await recordsIn(to)];
      for (const place of after.keys()) {
        // Readers show records up to the watermarks; an export copies later records too.
        if (!before.has(place)) expect([place, isBehind(place, before)]).toEqual([place, true]);
      }
      for (const [place, content] of before) expect(after.get(place)).toBe(content);
      await restore(tools, to, next, { skip: 100 });
      const server = await startServer({ dataDirectory: next });
      await live(server, 1);
      await server.stop();
      expect((await verifyFolder(next)).problems).toEqual([]);
    },
    120_000,
  );

  it('keeps the journal, and topics under other names, if there is no manifest', async () => {
    const data = join(folder, 'nameless');
    await cp(join(folder, 'clean'), data, { recursive: true });
    for (const name of ['MANIFEST', 'MANIFEST.copy']) await rm(join(data, name));
    const [to, next] = [join(folder, 'of-nameless'), join(folder, 'started-nameless')];
    const report = await exportGood(tools, data, to);
    const [before, after] = [await recordsIn(join(folder, 'clean')), await recordsIn(to)];
    expect(after.size).toBe(before.size);
    expect(report.damages.join()).toMatch(/nothing says its name; it is called found\/\d/);
    for (const [place, content] of before) {
      if (place.startsWith('__journal')) expect(after.get(place)).toBe(content);
    }
    await restore(tools, to, next, { skip: 100 });
    const server = await startServer({ dataDirectory: next });
    await live(server, 1);
    await server.remove();
  }, 120_000);

  it('exports only to an empty folder', async () => {
    const data = join(folder, 'mine');
    await mkdir(data);
    await writeFile(join(data, 'mine'), '');
    await expect(exportGood(tools, join(folder, 'clean'), data)).rejects.toMatchObject({
      code: 'not_empty',
    });
  });
});
