import { readdir, readFile } from 'node:fs/promises';
import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import {
  elapsedMs,
  type GoldenRecord,
  GoldenTopics,
  retryMs,
} from '../../support/golden/golden-topics.js';
import { ManualClock } from '../../support/manual-clock.js';

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v4', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

const placeOf = ({ topic, partition, offset }: GoldenRecord) => `${topic}/${partition}@${offset}`;

/** One of everything that version 4 can leave behind of topics and their readers. */
async function writeFolder(): Promise<void> {
  const clock = new ManualClock(writtenAt);
  const server = await folder.start(clock);
  const topics = new GoldenTopics(server, clock);
  await topics.happen();
  const held = await topics.holdings();
  expect(clock.now()).toBe(writtenAt + elapsedMs);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 4', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds its records, readers and all else, and goes on with them', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt + elapsedMs);
    const server = await folder.start(clock);
    const topics = new GoldenTopics(server, clock);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await topics.holdings()))).toMatchObject(held as object);

    expect(await topics.repeated()).toMatchObject([{ offset: 0 }, { offset: 1 }]);
    await topics.produceOne();
    const readers = [
      ...(await topics.consume('readers/a', ['orders'])),
      ...(await topics.consume('readers/b', ['orders', 'growing'])),
    ];
    const ends = ['orders/2@0', 'orders/2@1', 'orders/2@2', 'orders/2@3'];
    expect(readers.map(placeOf).sort()).toEqual([
      'orders/0@2',
      'orders/0@3',
      'orders/1@1',
      ...ends,
    ]);
    const waiting = await topics.consume('waiting/a', ['orders']);
    expect(waiting.map(placeOf)).toEqual(['orders/2@3']);

    folder.endpoint.answer(() => ({}));
    // An attempt that is on its way when the clock moves would time out.
    await topics.pushedAll('delivered');
    clock.advance(retryMs);
    await topics.pushedAll('retrying');
    const pushed = folder.endpoint.requests.filter(({ url }) => url === '/retrying');
    const offsetsOf = (partition: string) =>
      pushed
        .filter(({ headers }) => headers['stream-partition'] === partition)
        .map(({ headers }) => headers['stream-offset']);
    expect(offsetsOf('0')).toEqual(['0', '1', '2', '3']);
    expect(offsetsOf('1')).toEqual(['0', '1']);
    expect(offsetsOf('2')).toEqual(['0', '1', '2', '3']);
    const others = folder.endpoint.requests.filter((request) => !pushed.includes(request));
    expect(others.map(({ url }) => url)).toEqual(['/delivered']);
    expect(JSON.parse(String(others[0]?.body))).toMatchObject([{ partition: 2, offset: 3 }]);
    expect(await server.stop()).toBe(true);
  });
});

it('has, with those of later versions, every kind of event that can be written', async () => {
  let journal = '';
  for (const version of ['v3', 'v4', 'v7', 'v9', 'v10', 'v12', 'v13', 'v14', 'v15']) {
    const each = await GoldenFolder.open(version);
    journal += (await each.expected()).journal;
    await each.close();
  }
  const files = await readdir('src', { recursive: true });
  for (const file of files.filter((each) => each.endsWith('.events.ts'))) {
    const source = await readFile(`src/${file}`, 'utf8');
    const types = [...source.matchAll(/readonly type: '(\w+)'/g)].map(([, type]) => type);
    const missing = types.filter((type) => !new RegExp(` ${type}( |$)`, 'm').test(journal));
    expect([file, missing]).toEqual([file, []]);
    expect([file, types.length]).not.toEqual([file, 0]);
  }
});
