import { readFolder } from '../../../src/cli/journal/journal-reader.js';
import { type ReplayOptions, replayedLines } from '../../../src/cli/journal/journal-replay.js';
import { comparedWithSnapshot } from '../../../src/cli/journal/snapshot-comparison.js';
import { committedOffsetLines, recordLines } from '../../../src/cli/journal/topic-lines.js';
import { Engine } from '../../../src/engine/engine.js';
import { imageLabel } from '../../../src/engine/snapshots/memory-image.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { version } from '../../../src/grammar/version.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import { sweepStretch } from '../../../src/server/history/journal-sweeps.module.js';
import { productFolding } from '../../../src/server/history/product-folding.js';
import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-client.js';
import { fileSizes, startServer, type TestServer } from '../../support/server.js';

const { config } = readConfiguration({});
const newFolding = () =>
  productFolding({ ...config, sweepStretch: sweepStretch(config, fileSizes) });

let server: TestServer;
let live: string;
let ids: string[];

async function publish(headers: Record<string, string> = {}): Promise<string> {
  const path = '/v2/publish/http://127.0.0.1:9000/x';
  const all = { 'svc-delay': '1h', ...headers };
  const { body } = await callApi(server, 'POST', path, all, 'hello');
  return (body as { messageId: string }).messageId;
}

beforeAll(async () => {
  server = await startServer();
  ids = [await publish(), await publish({ 'svc-label': 'two' }), await publish()];
  const schedule = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 'yearly' };
  await callApi(server, 'POST', '/v2/schedules/http://127.0.0.1:9000/x', schedule, 'tick');
  await callApi(server, 'DELETE', `/v2/messages/${ids[0]}`);
  await callLog(server, '/produce/rides', { value: 'record' });
  await callLog(server, '/consume/g/i', { topic: 'rides', timeout: 0 });
  await callLog(server, '/commit/g/i', { topic: 'rides', partition: 0, offset: 0 });
  // A clean stop leaves a snapshot if there is at least a mebibyte to fold.
  const large = '/v2/publish/http://127.0.0.1:9000/large';
  await callApi(server, 'POST', large, { 'svc-delay': '1h' }, 'x'.repeat(1_100_000));
  const engine = server.application.nest.get(Engine, { strict: false });
  await server.stop();
  live = digestOf(itemsOf(engine)).hex;
});

afterAll(() => server.remove());

const quiet = () => undefined;

async function replay(options: ReplayOptions): Promise<string[]> {
  const folding = newFolding();
  return readFolder(server.dataDirectory, folding.codec, async (_store, journal) => {
    if (journal === null) throw new Error('there is no journal');
    const lines: string[] = [];
    const replay = { journal, folding, options, onProgress: quiet };
    for await (const line of replayedLines(replay)) lines.push(line);
    return lines;
  });
}

const endOf = async () => Number((await replay({})).at(-1)?.split(' at ')[1]);

describe('journal replay', () => {
  it('leads to the memory that the server had', async () => {
    const lines = await replay({});
    expect(lines.at(-1)).toMatch(new RegExp(`^digest ${live} at \\d+$`));
    expect(lines).toContain('message: 3');
    const json = JSON.parse((await replay({ json: true })).join('')) as Record<string, unknown>;
    expect(json).toMatchObject({ digest: live, offset: await endOf() });
    expect((await replay({ csv: true }))[0]).toBe('section,items,sum');
  });

  it('leads to the memory as of an offset or a time', async () => {
    const [published] = await replay({ stream: `message/${ids[1]}`, json: true });
    const { offset, at } = JSON.parse(published ?? '') as { offset: number; at: number };
    expect(await replay({ until: { offset } })).toContain('message: 1');
    expect(await replay({ until: { offset: offset + 1 } })).toContain('message: 2');
    expect(await replay({ until: { time: at - 60_000 } })).not.toContain('message: 1');
    expect((await replay({ until: { time: at + 60_000 } })).at(-1)).toContain(live);
  });

  it('describes the life of a stream in words, and selected events in any format', async () => {
    const life = await replay({ stream: ids[0] ?? '' });
    expect(life).toHaveLength(3);
    expect(life[0]).toMatch(/ \+0\.000 s message msg_\w+: message published, by .* \(at \d+\): /);
    expect(life[1]).toContain('message canceled');
    expect(life[2]).toBe(`message/${ids[0]} has ended`);
    const schedule = await replay({ stream: 'schedule/yearly' });
    expect(schedule.at(-1)).toContain('schedule/yearly after 1 events: {');
    const types = (await replay({ type: ['MessagePublished'] })).map((line) => line.split(' ')[3]);
    expect(types).toEqual(Array.from({ length: 4 }, () => 'MessagePublished'));
    const [header, row] = await replay({ type: ['MessageCanceled'], csv: true });
    expect(header).toBe('offset,time,kind,id,sequence,type,by,fields');
    expect(row).toContain(`,message,${ids[0]},1,MessageCanceled,`);
    expect(await replay({ by: 'token:of-no-one' })).toEqual([]);
    expect(await replay({ since: { offset: await endOf() } })).toEqual([]);
    await expect(replay({ stream: 'message/msg_none' })).rejects.toThrow('no stream');
  });

  it('prints committed offsets and records', async () => {
    const folding = newFolding();
    await readFolder(server.dataDirectory, folding.codec, async (store) => {
      const [offsets, records]: string[][] = [[], []];
      for await (const line of committedOffsetLines(store)) offsets?.push(line);
      for await (const line of recordLines(store, 'rides')) records?.push(line);
      expect(offsets).toContainEqual(expect.stringMatching(/^g rides\/0: committed 0 \(/));
      expect(records).toEqual([expect.stringContaining('"value":"record"')]);
    });
  });

  it('is compared with the snapshot, and names the stream and field of a difference', async () => {
    const folding = newFolding();
    await readFolder(server.dataDirectory, folding.codec, async (store, journal) => {
      if (journal === null) throw new Error('there is no journal');
      const replay = { journal, folding, options: {}, onProgress: quiet };
      for await (const _ of replayedLines(replay));
      const end = journal.highWatermark;
      const label = imageLabel(folding.engine, version);
      const compare = async (one: ReturnType<typeof newFolding>) => {
        const memory = { folding: one, until: end };
        const compared = comparedWithSnapshot(store, label, memory, newFolding());
        const lines: string[] = [];
        let next = await compared.next();
        for (; next.done !== true; next = await compared.next()) lines.push(next.value);
        return { lines, isOther: next.value };
      };
      expect(await compare(folding)).toEqual({
        lines: [expect.stringMatching(/^the snapshot at \d+ leads to the same state$/)],
        isOther: false,
      });
      // Memory without the last event of the journal differs.
      const shorter = newFolding();
      for await (const envelopes of journal.replay()) {
        shorter.engine.replay(envelopes.filter(({ event }) => event.type !== 'MessageCanceled'));
      }
      const { lines, isOther } = await compare(shorter);
      expect(lines).toContain(`message/${ids[0]}: only in the journal`);
      expect(isOther).toBe(true);
    });
  });
});
