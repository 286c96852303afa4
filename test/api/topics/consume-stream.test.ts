import { request as httpRequest, type IncomingMessage } from 'node:http';
import { callLog, committedOf, produceTo } from '../../support/clients/log-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

const earliest = { 'Stream-Auto-Offset-Reset': 'earliest' };
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

/** A stream of records as far as its reader has received it. */
class Reading {
  text = '';
  isOver = false;

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.text += chunk;
    });
    response.on('close', () => {
      this.isOver = true;
    });
    response.on('error', () => undefined);
  }

  static open(
    from: TestServer,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<Reading> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        `${from.url}${path}`,
        { headers: { authorization: from.basic, accept: 'text/event-stream', ...headers } },
        (response) => resolve(new Reading(response)),
      );
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Opens it for an instance whose last stream was cut, which the server may not know yet. */
  static async reopen(...asked: Parameters<typeof Reading.open>): Promise<Reading> {
    for (;;) {
      const reading = await Reading.open(...asked);
      if (reading.response.statusCode !== 409) return reading;
      await soon();
    }
  }

  /** The ids and values of the events, once there are `count`. */
  async events(count: number): Promise<{ id: string; value: string }[]> {
    for (;;) {
      const events = [...this.text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)];
      if (events.length >= count || this.isOver) {
        return events.map(([, id = '', data = '{}']) => ({ id, value: JSON.parse(data).value }));
      }
      await soon();
    }
  }

  /** Aborts the stream as the reader. */
  async cut(): Promise<void> {
    this.response.destroy();
    await soon();
  }
}

const values = (events: readonly { value: string }[]) => events.map(({ value }) => value);

describe('a stream of events', () => {
  it('begins at once, and sends existing records, and then new ones', async () => {
    const reading = await Reading.open(server, '/consume/live/1/news');
    expect(reading.response.statusCode).toBe(200);
    expect(reading.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(reading.response.headers['stream-generation']).toBe('1');
    await produceTo(server, 'news', 0, 'first');
    await reading.events(1);
    await produceTo(server, 'news', 1, 'second', 'third');
    const events = await reading.events(3);
    expect(values(events)).toEqual(['first', 'second', 'third']);
    expect(events.at(-1)?.id).toBe('news/0/1,news/1/2');
    await reading.cut();
  });

  it('continues after the last event that its reader received', async () => {
    await produceTo(server, 'tail', 0, 'a', 'b', 'c');
    const first = await Reading.open(server, '/consume/tails/1/tail', earliest);
    const [, second] = await first.events(3);
    await first.cut();
    const again = await Reading.reopen(server, '/consume/tails/1/tail', {
      'last-event-id': second?.id ?? '',
    });
    expect(values(await again.events(1))).toEqual(['c']);
    await again.cut();
    const from = await Reading.reopen(server, '/consume/tails/1/tail');
    expect(values(await from.events(1))).toEqual(['c']);
    await from.cut();
  });

  it('that is aborted sends everything again that was not acknowledged', async () => {
    await produceTo(server, 'torn', 0, 'a', 'b');
    const first = await Reading.open(server, '/consume/tears/1/torn', earliest);
    await first.events(2);
    await first.cut();
    const again = await Reading.reopen(server, '/consume/tears/1/torn');
    expect(values(await again.events(2))).toEqual(['a', 'b']);
    await again.cut();
  });

  it('follows its partitions from one instance to another', async () => {
    const a = await Reading.open(server, '/consume/follow/a/river');
    await produceTo(server, 'river', 2, 'to a');
    await a.events(1);
    const b = await Reading.open(server, '/consume/follow/b/river');
    await produceTo(server, 'river', 0, 'still to a');
    await a.events(2);
    await produceTo(server, 'river', 2, 'to b');
    expect(values(await b.events(2))).toEqual(['to a', 'to b']);
    expect(values(await a.events(2))).toEqual(['to a', 'still to a']);
    expect(
      (await callLog(server, '/delete-consumer/follow/b', undefined, { method: 'DELETE' })).status,
    ).toBe(200);
    while (!b.isOver) await soon();
    await produceTo(server, 'river', 2, 'to a again');
    expect(values(await a.events(3)).at(-1)).toBe('to a again');
    await a.cut();
  });

  it('is refused if the last id is invalid, and if the instance has a reader already', async () => {
    const wrong = await Reading.open(server, '/consume/ids/1/idle', { 'last-event-id': 'x' });
    expect(wrong.response.statusCode).toBe(400);
    const first = await Reading.open(server, '/consume/ids/1/idle');
    const second = await Reading.open(server, '/consume/ids/1/idle?timeout=0');
    expect(second.response.statusCode).toBe(409);
    await first.cut();
  });

  it('names the partitions without an offset if the policy is none', async () => {
    const none = { 'Stream-Auto-Offset-Reset': 'none' };
    const reading = await Reading.open(server, '/consume/nothing/1/void', none);
    while (!reading.isOver) await soon();
    expect(reading.text).toContain('event: error\ndata: {"error":"no offset to begin at: void/0');
  });

  it('waits for a slow reader, and loses nothing', async () => {
    const large = 'z'.repeat(1024 * 1024);
    const reading = await Reading.open(server, '/consume/slow/1/lake');
    reading.response.pause();
    for (let index = 0; index < 12; index += 1) await produceTo(server, 'lake', 0, large);
    await soon();
    reading.response.resume();
    expect(await reading.events(12)).toHaveLength(12);
    await reading.cut();
  });
});

it('the silence of an instance begins when its stream ends', async () => {
  const clock = new ManualClock();
  const timed = await startServer({ ports: { clock } });
  const headers = { 'Stream-Session-Timeout-Ms': '10000' };
  const instances = async () => ((await callLog(timed, '/consumers')).body as unknown[]).length;
  const isCalling = async () => {
    const { body } = await callLog(timed, '/admin/groups/g');
    return (body as { members: { isCalling: boolean }[] }).members.some((each) => each.isCalling);
  };
  const reading = await Reading.open(timed, '/consume/g/1/t', headers);
  for (let second = 0; second < 60; second += 1) clock.advance(1000);
  await soon();
  expect(await instances()).toBe(1);
  expect(await isCalling()).toBe(true);
  await reading.cut();
  // The server may learn of the end later than the reader.
  while (await isCalling()) await soon();
  clock.advance(9999);
  await soon();
  expect(await instances()).toBe(1);
  clock.advance(1);
  while ((await instances()) > 0) await soon();
  await timed.remove();
});

it('a stream sends the records of new partitions', async () => {
  const environment = { STEPWELL_TOPIC_PARTITIONS: '1' };
  // The clock stands still, so no heartbeat makes the stream look again.
  const timed = await startServer({ ports: { clock: new ManualClock() }, environment });
  await produceTo(timed, 'grown', 0, 'a');
  const reading = await Reading.open(timed, '/consume/g/1/grown', earliest);
  await reading.events(1);
  await callLog(timed, '/admin/topics/grown', { partitions: 3 }, { method: 'PATCH' });
  await produceTo(timed, 'grown', 2, 'b');
  const values = (await reading.events(2)).map(({ value }) => value);
  expect(values).toEqual(['a', 'b']);
  await reading.cut();
  await timed.remove();
});

it('a stream of events reports at once that it is connected', async () => {
  const reading = await Reading.open(server, '/consume/connects/1/silence');
  while (reading.text === '') await soon();
  expect(reading.text).toBe(': connected\n\n');
  await reading.cut();
});

it('a stream of lines has one JSON text per line', async () => {
  await produceTo(server, 'lines', 0, 'a\nb', 'c');
  const reading = await Reading.open(server, '/consume/lined/1/lines', {
    ...earliest,
    accept: 'application/x-ndjson',
  });
  while (reading.text.split('\n').length < 3) await soon();
  const texts = reading.text.trimEnd().split('\n');
  expect(texts.map((text) => JSON.parse(text).value)).toEqual(['a\nb', 'c']);
  await reading.cut();
});

it('a stream sends heartbeats, commits at its interval, and ends with the server', async () => {
  const clock = new ManualClock();
  const timed = await startServer({ ports: { clock } });
  await produceTo(timed, 't', 0, 'a');
  const headers = { ...earliest, 'Stream-Auto-Commit-Interval': '5000' };
  const reading = await Reading.open(timed, '/consume/g/1/t', headers);
  await reading.events(1);
  while ((await committedOf(timed, 'g', 't'))[0] !== 1) clock.advance(5001);
  while (!reading.text.endsWith(':\n\n')) {
    clock.advance(15_000);
    await soon();
  }
  await timed.remove();
  while (!reading.isOver) await soon();
  expect(reading.response.complete).toBe(true);
});
