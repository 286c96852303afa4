import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryHeaderLength } from '../../storage/wal/wal-format.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import {
  authorization,
  basic,
  freePort,
  ServerProcess,
} from '../support/program/server-process.js';
import { itUnderStrace, parseTrace, readTrace, straceWords } from '../support/program/strace.js';
import { type Acknowledgement, unproven } from './acknowledgement-order.js';

const clients = 6;
const callsOfEach = 8;

let folder = '';
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-order-'));
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await endpoint.stop();
  await rm(folder, { recursive: true });
});

describe('an acknowledgement', () => {
  itUnderStrace('leaves only after what holds it was synced', async () => {
    const { calls, acknowledgements } = await traced({});
    expect(acknowledgements).toHaveLength(clients * callsOfEach * 2);
    expect(unproven(calls, acknowledgements)).toEqual([]);
  });

  itUnderStrace('leaves only after the write that its group shares with other topics', async () => {
    const { calls, acknowledgements } = await tracedTopics();
    const ahead = calls.filter(
      ({ name, target }) => name === 'pwrite64' && target.endsWith('/WAL'),
    );
    expect(ahead).not.toEqual([]);
    expect(unproven(calls, acknowledgements)).toEqual([]);
  });

  itUnderStrace('in a mode that promises less is found out by the same proof', async () => {
    const { calls, acknowledgements } = await traced({ STEPWELL_FSYNC: 'os' });
    expect(unproven(calls, acknowledgements)).toHaveLength(acknowledgements.length);
  });
});

describe('the proof', () => {
  const store = '1 pwrite64(9</d/0.log>, "..msg_1..", 9, 64) = 9';
  const sync = '2 fdatasync(9</d/0.log>) = 0';
  const synced =
    '2 openat(AT_FDCWD</>, "/d/0.log", O_RDWR|O_NOFOLLOW|O_DSYNC|O_CLOEXEC) = 9</d/0.log>';
  const open = '2 openat(AT_FDCWD</>, "/d/0.log", O_RDWR|O_NOFOLLOW|O_CLOEXEC) = 9</d/0.log>';
  const answer =
    '1 write(7<socket:[5]>, "HTTP/1.1 200 OK\\r\\n{\\"messageId\\":\\"msg_1\\"}", 40) = 40';
  const judged = (...lines: string[]) =>
    unproven(parseTrace(lines.join('\n')), [{ said: '"msg_1"', stored: 'msg_1' }]);

  it('accepts written, synced, acknowledged', () => {
    expect(judged(store, sync, answer)).toEqual([]);
    const unfinished = ['2 fdatasync(9</d/0.log> <unfinished ...>', '3 fdatasync(8</d/1.log>) = 0'];
    expect(judged(store, ...unfinished, '2 <... fdatasync resumed>) = 0', answer)).toEqual([]);
  });

  it('accepts an acknowledgement after a write that syncs', () => {
    expect(judged(open, synced, store, answer)).toEqual([]);
  });

  it('accepts an acknowledgement after a write to the write-ahead log', () => {
    const ahead = (line: string) => line.replaceAll('/d/0.log', '/d/WAL');
    expect(judged(store, ahead(synced), ahead(store), answer)).toEqual([]);
    expect(judged(store, ahead(open), ahead(store), answer)).toHaveLength(1);
  });

  it.each([
    ['before a synced write', [synced, answer, store]],
    [
      'before a synced write had returned',
      [
        synced,
        '1 pwrite64(9</d/0.log>, "..msg_1..", 9, 64 <unfinished ...>',
        answer,
        '1 <... pwrite64 resumed>) = 9',
      ],
    ],
    ['after half a synced write', [synced, store.replace('= 9', '= 4'), answer]],
    ['after a write to what was opened again without syncs', [synced, open, store, answer]],
    ['without an fdatasync', [store, answer]],
    ['before the fdatasync', [store, answer, sync]],
    [
      'before the fdatasync had returned',
      [store, '2 fdatasync(9</d/0.log> <unfinished ...>', answer, '2 <... fdatasync resumed>) = 0'],
    ],
    ['after an fdatasync that failed', [store, '2 fdatasync(9</d/0.log>) = -1 EIO (x)', answer]],
    ['after the fdatasync of another file', [store, '2 fdatasync(9</d/1.log>) = 0', answer]],
    [
      'after an fdatasync that began before the write was over',
      [
        '1 pwrite64(9</d/0.log>, "..msg_1..", 9, 64 <unfinished ...>',
        '2 fdatasync(9</d/0.log> <unfinished ...>',
        '1 <... pwrite64 resumed>) = 9',
        '2 <... fdatasync resumed>) = 0',
        answer,
      ],
    ],
    ['after half a write', [store.replace('= 9', '= 4'), sync, answer]],
    ['to an endpoint first', [store, answer.replace('HTTP/1.1 200 OK', 'POST /'), sync, answer]],
  ])('refuses an answer %s', (_what, lines) => {
    expect(judged(...lines)).toEqual(['"msg_1" was acknowledged before msg_1 was durable']);
  });

  it('refuses an answer that it does not find', () => {
    expect(judged(store, sync)).toEqual(['no answer says "msg_1"']);
  });
});

/** Publishes and produces on several connections at a server that is traced to its end. */
async function traced(environment: Record<string, string>) {
  const port = await freePort();
  const data = join(folder, 'data');
  // The first start fills files ahead, which would only fill the trace.
  const first = await ServerProcess.start(data, port, environment);
  await publish(first.url);
  await produce(first.url, 'unmarked');
  await first.kill('SIGTERM');
  const trace = join(folder, 'trace');
  const server = await ServerProcess.start(data, port, environment, straceWords(trace));
  const acknowledgements: Acknowledgement[] = [];
  const client = async (_: unknown, number: number) => {
    for (let call = 0; call < callsOfEach; call += 1) {
      acknowledgements.push(await publish(server.url));
      acknowledgements.push(await produce(server.url, `mark-${number}-${call}-`));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  expect(await server.kill('SIGTERM')).toBe(0);
  return { calls: await readTrace(trace, server.child.pid), acknowledgements };
}

/** Produces to many topics at the same time, and goes on once groups of them were written ahead. */
async function tracedTopics() {
  const data = join(folder, 'data');
  const trace = join(folder, 'trace');
  const server = await ServerProcess.start(data, await freePort(), {}, straceWords(trace));
  const acknowledgements: Acknowledgement[] = [];
  const client = async (_: unknown, number: number) => {
    for (let call = 0, more = callsOfEach; more > 0; call += 1) {
      const mark = `mark-${number}-${call}-`;
      acknowledgements.push(await produce(server.url, mark, `marks-${number}`));
      if (await hasGroups(join(data, 'WAL'))) more -= 1;
    }
  };
  await Promise.all(Array.from({ length: clients * 2 }, client));
  expect(await server.kill('SIGTERM')).toBe(0);
  return { calls: await readTrace(trace, server.child.pid), acknowledgements };
}

/** Whether a write-ahead log is there with more than the empty entry that it is made with. */
async function hasGroups(file: string): Promise<boolean> {
  const wal = await open(file).catch(() => null);
  if (wal === null) return false;
  const { buffer } = await wal.read(Buffer.alloc(1), 0, 1, entryHeaderLength);
  await wal.close();
  return buffer[0] !== 0;
}

async function publish(url: string): Promise<Acknowledgement> {
  const response = await fetch(`${url}/v2/publish/${endpoint.url}`, {
    method: 'POST',
    headers: { authorization },
    body: 'a message',
  });
  expect(response.status).toBe(200);
  const { messageId } = (await response.json()) as { messageId: string };
  return { said: messageId, stored: messageId };
}

async function produce(url: string, value: string, topic = 'marks'): Promise<Acknowledgement> {
  const response = await fetch(`${url}/produce/${topic}`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ value }),
  });
  expect(response.status).toBe(200);
  const [place] = (await response.json()) as { partition: number; offset: number }[];
  const { partition, offset } = place ?? {};
  return { said: `"topic":"${topic}","partition":${partition},"offset":${offset},`, stored: value };
}
