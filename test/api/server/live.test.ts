import { callApi } from '../../support/clients/api-call.js';
import { EventSource, type SentEvent } from '../../support/clients/event-source.js';
import { callLog } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

interface LiveEvent {
  readonly offset: number;
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly dlqId?: string;
}

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

const ofMessages = 'MessagePublished,MessageCanceled';

/** The server answers 404 here, as it has no such route. */
const destination = () => `${server.url}/absent`;

async function publish(headers: Record<string, string> = { 'svc-delay': '1h' }): Promise<string> {
  const { body } = await callApi(server, 'POST', `/v2/publish/${destination()}`, headers, 'x');
  return (body as { messageId: string }).messageId;
}

const open = (query = '', lastId = '', authorization = server.bearer) =>
  EventSource.open(`${server.url}/v2/live${query}`, { authorization }, lastId);

const eventIn = ({ data }: SentEvent) => JSON.parse(data) as LiveEvent;

/** The offsets of the events of these types, as the journal has them. */
async function offsetsOf(types: string): Promise<number[]> {
  const target = `${server.url}/admin/journal?count=1000&type=${types}`;
  const response = await fetch(target, { headers: { authorization: server.basic } });
  const lines = (await response.text()).split('\n').filter((line) => line.includes('"offset"'));
  return lines.map((line) => (JSON.parse(line) as { offset: number }).offset);
}

describe('GET /v2/live', () => {
  it('reports an event as soon as it is durable', async () => {
    const stream = await open('?kinds=message');
    const id = await publish();
    const [created] = await stream.take(1);
    expect(created?.type).toBe('message');
    const published = { offset: expect.any(Number), kind: 'message', id, state: 'CREATED' };
    expect(eventIn(created as SentEvent)).toEqual({ ...published, type: 'MessagePublished' });
    expect(created?.id).toBe(String(eventIn(created as SentEvent).offset));
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    const [canceled] = await stream.take(1);
    expect(eventIn(canceled as SentEvent)).toMatchObject({ id, state: 'CANCELED' });
    stream.cut();
  });

  it('reports each kind, and a dead letter together with its message', async () => {
    const [all, letters] = [await open(), await open('?kinds=dlq,queue')];
    await callApi(server, 'POST', '/v2/queues', {}, JSON.stringify({ queueName: 'q' }));
    const id = await publish({ 'svc-retries': '0' });
    const seen = (await all.take(3)).map(eventIn);
    expect(seen.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'queue ACTIVE',
      'message CREATED',
      'message FAILED',
    ]);
    const dlqId = seen[2]?.dlqId;
    expect(dlqId).toMatch(/^\d+-\d+s00$/);
    const [queue, letter] = (await letters.take(2)).map(eventIn);
    expect(queue).toMatchObject({ kind: 'queue', id: 'q' });
    expect(letter).toMatchObject({ kind: 'dlq', id: dlqId, state: 'CREATED' });
    expect(seen[2]).toMatchObject({ id });
    await callApi(server, 'DELETE', `/v2/dlq/${dlqId}`);
    const gone = { kind: 'dlq', id: dlqId, state: 'DELETED' };
    for (const stream of [all, letters]) {
      expect((await stream.take(1)).map(eventIn)).toMatchObject([gone]);
      stream.cut();
    }
  });

  it('reports a job from its beginning to its end', async () => {
    const stream = await open('?kinds=job');
    const work = { verb: 'cancel', over: 'messages', filter: { label: 'of no message' } };
    const { body } = await callApi(server, 'POST', '/v2/jobs', {}, JSON.stringify(work));
    const id = (body as { jobId: string }).jobId;
    expect((await stream.take(2)).map(eventIn)).toMatchObject([
      { kind: 'job', id, state: 'RUNNING', type: 'JobCreated' },
      { kind: 'job', id, state: 'DONE', type: 'JobFinished' },
    ]);
    stream.cut();
  });

  it('gives each event once and in order to a client that is cut a hundred times', async () => {
    const first = (await offsetsOf(ofMessages)).length;
    const seen: number[] = [];
    let lastId = '';
    for (let cut = 0; cut < 100; cut += 1) {
      const stream = await open('?kinds=message', lastId);
      // Even before the first event the client has an id: the position where the stream began.
      const count = (cut % 4) + 1;
      const publishing = (async () => {
        for (let each = 0; each < 3; each += 1) {
          const id = await publish();
          if (each === cut % 3) await callApi(server, 'DELETE', `/v2/messages/${id}`);
        }
      })();
      for (const event of await stream.take(count)) {
        expect(event.type).toBe('message');
        seen.push(eventIn(event).offset);
      }
      lastId = stream.lastId;
      stream.cut();
      await publishing;
    }
    const expected = (await offsetsOf(ofMessages)).slice(first);
    const rest = await open('?kinds=message', lastId);
    seen.push(...(await rest.take(expected.length - seen.length)).map((e) => eventIn(e).offset));
    rest.cut();
    expect(seen).toEqual(expected);
  });

  it('shows topics to a token of the log interface and to no other', async () => {
    await expect(open('?kinds=topic')).rejects.toThrow('403');
    const blind = await open('', '', `Bearer ${server.readToken}`);
    const { body } = await callLog(server, '/admin/tokens', { name: 'viewer', role: 'read' });
    const viewer = await open('', '', `Bearer ${(body as { token: string }).token}`);
    await callLog(server, '/admin/topics', { name: 'rides' });
    const id = await publish();
    expect((await blind.take(1)).map(eventIn)).toMatchObject([{ kind: 'message', id }]);
    expect((await viewer.take(2)).map(eventIn)).toMatchObject([
      { kind: 'topic', id: 'rides', state: 'ACTIVE' },
      { kind: 'message', id },
    ]);
    blind.cut();
    viewer.cut();
  });

  it('counts events that come too fast to be listed', async () => {
    const stream = await open('?kinds=message');
    const messages = Array.from({ length: 1000 }, () => ({
      destination: destination(),
      headers: delayed,
    }));
    await callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(messages));
    let named = 0;
    let counted = 0;
    while (named + counted < 1000) {
      const [event] = await stream.take(1);
      if (event?.type !== 'many') named += 1;
      else {
        const { offset, counts } = JSON.parse(event.data) as { offset: number; counts: Counts };
        expect(event.id).toBe(String(offset));
        counted += counts['message'] ?? 0;
      }
    }
    expect(named + counted).toBe(1000);
    expect(counted).toBeGreaterThan(0);
    stream.cut();
  });

  it('asks a client to reload if the server cannot know which events it missed', async () => {
    const stream = await open('', '99999999');
    const [event] = await stream.take(1);
    expect(event?.type).toBe('reload');
    const id = await publish();
    expect((await stream.take(1)).map(eventIn)).toMatchObject([{ id }]);
    stream.cut();
  });

  it.each(['x', '0:1', '-1', '1.5'])('refuses Last-Event-ID: %s', async (lastId) => {
    await expect(open('', lastId)).rejects.toThrow('400');
  });

  it.each([
    ['?kinds=message,nothing', 400, 'not nothing'],
    ['?kinds=', 400, 'kinds is empty'],
    ['?kind=message', 400, 'there is no filter'],
  ])('refuses %s', async (query, status, reason) => {
    const answer = await callApi(server, 'GET', `/v2/live${query}`);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      status,
      expect.stringContaining(reason),
    ]);
  });

  it('is refused beyond a maximum of different sets of kinds', async () => {
    const kinds = ['message', 'run', 'schedule', 'queue', 'flow', 'dlq'];
    const streams: EventSource[] = [];
    let refused = '';
    for (let set = 1; set < 64 && refused === ''; set += 1) {
      const names = kinds.filter((_, index) => (set & (1 << index)) !== 0);
      await open(`?kinds=${names}`).then(
        (stream) => streams.push(stream),
        (error: Error) => {
          refused = error.message;
        },
      );
    }
    expect(refused).toContain('503');
    expect(streams.length).toBeGreaterThan(20);
    // Another client of a set that is already followed costs nothing.
    streams.push(await open('?kinds=message'));
    for (const stream of streams) stream.cut();
    // The cut clients make room for other sets.
    for (let isRefused = true; isRefused; ) {
      isRefused =
        (await open('?kinds=dlq,flow').then(
          (stream) => stream.cut(),
          () => true,
        )) === true;
    }
  });

  it('ends with the server', async () => {
    // A set that was followed before: new sets find room only after the server has seen all cuts.
    const stream = await open('?kinds=message');
    await server.stop();
    expect(await stream.next()).toBeNull();
    server = await startServer({ dataDirectory: server.dataDirectory });
  });
});

type Counts = Readonly<Record<string, number>>;
const delayed = { 'Svc-Delay': '1h' };
