import { type PrintOptions, printedLines } from '../../../src/cli/journal/journal-print.js';
import { readJournal } from '../../../src/cli/journal/journal-reader.js';
import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-client.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let messageId: string;

beforeAll(async () => {
  server = await startServer();
  await callLog(server, '/produce/rides', { value: 'record' });
  const consumed = await callLog(server, '/consume/g/i1', { topic: 'rides', timeout: 0 });
  expect(consumed.status).toBe(200);
  const published = await callApi(
    server,
    'POST',
    '/v2/publish/http://127.0.0.1:9000/x',
    { 'svc-delay': '1h' },
    'one',
  );
  messageId = (published.body as { messageId: string }).messageId;
  await server.stop();
});

afterAll(() => server.remove());

/** The streams whose events are printed, each once. */
async function streamsIn(options: PrintOptions): Promise<string[]> {
  const streams = await readJournal(server.dataDirectory, async (journal) => {
    const found = new Set<string>();
    if (journal === null) throw new Error('there is no journal');
    for await (const line of printedLines(journal, options)) {
      found.add(line.split(' ')[2]?.split('#')[0] ?? '');
    }
    return found;
  });
  return [...streams];
}

it.each(['consumer/g/i1', 'g/i1'])('the stream of an instance is found as %s', async (stream) => {
  expect(await streamsIn({ stream })).toEqual(['consumer/g/i1']);
});

it.each(['topic/rides', 'rides'])(
  'a stream without a slash in its id is found as %s',
  async (stream) => {
    expect(await streamsIn({ stream })).toEqual(['topic/rides']);
  },
);

it.each([
  ['i1', 'no stream "i1" in this journal; did you mean consumer/g/i1?'],
  ['topic/g/i1', 'no stream "topic/g/i1" in this journal; did you mean consumer/g/i1?'],
  ['queue/rides', 'no stream "queue/rides" in this journal; did you mean topic/rides?'],
  ['g/i2', 'no stream "g/i2" in this journal'],
])('for %s there is an error that the stream does not exist', async (stream, message) => {
  await expect(streamsIn({ stream })).rejects.toThrow(new Error(message));
});

it('a stream without events in a range gets another error than a missing one', async () => {
  const [line = ''] = await offsetsOf(messageId);
  const nothing = `has no event from 0 up to ${line}`;
  const message = `stream "${messageId}" ${nothing}; its first is at ${line}`;
  await expect(streamsIn({ stream: messageId, until: Number(line) })).rejects.toThrow(
    new Error(message),
  );
});

it('printing may start at the end of the journal, but not behind it', async () => {
  const all = await offsetsOf(undefined);
  const end = Number(all.at(-1)) + 1;
  expect(await streamsIn({ from: end })).toEqual([]);
  const message = `the journal ends at ${end}, before ${end + 1}`;
  await expect(streamsIn({ from: end + 1 })).rejects.toThrow(new Error(message));
  await expect(streamsIn({ from: 3, until: 2 })).rejects.toThrow(new Error('2 lies before 3'));
});

function offsetsOf(stream: string | undefined): Promise<string[]> {
  return readJournal(server.dataDirectory, async (journal) => {
    const offsets: string[] = [];
    if (journal === null) throw new Error('there is no journal');
    for await (const line of printedLines(journal, stream === undefined ? {} : { stream })) {
      offsets.push(line.split(' ')[0] ?? '');
    }
    return offsets;
  });
}
