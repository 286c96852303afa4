import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callLog, committedOf, consumed, produceTo } from '../../support/clients/log-client.js';
import { callOf, callsEnded } from '../../support/clients/log-waits.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

const call = (path: string, body?: unknown, headers?: Record<string, string>) =>
  callLog(server, path, body, headers);
const produce = (topic: string, partition: number, ...values: string[]) =>
  produceTo(server, topic, partition, ...values);
const consume = (place: string, topics: string | string[], headers?: Record<string, string>) =>
  consumed(server, place, topics, headers);
const committed = (group: string, topic: string) => committedOf(server, group, topic);

const earliest = { 'Stream-Auto-Offset-Reset': 'earliest' };
const manual = { ...earliest, 'Stream-Enable-Auto-Commit': 'false' };
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await soon();
};
const soon = () => new Promise((resolve) => setTimeout(resolve, 30));
const membersOf = async (from: TestServer, group: string) => {
  const { body } = await callLog(from, `/admin/groups/${group}`);
  return (body as { members: unknown[] }).members;
};

describe('a first consume', () => {
  it('begins at the end, and misses nothing that comes afterwards', async () => {
    await produce('ends', 0, 'before');
    expect(await consume('late/a', 'ends')).toEqual([]);
    await produce('ends', 0, 'after');
    expect(await consume('late/a', 'ends')).toEqual(['after']);
  });

  it('is followed by what is produced after it, whichever instance continues', async () => {
    await produce('handed', 0, 'before');
    await consume('over/b', 'handed');
    await produce('handed', 0, 'between');
    expect(await consume('over/a', 'handed')).toEqual(['between']);
  });

  it('creates the topic, and reads new partitions and topics from their beginning', async () => {
    expect(await consume('grows/a', 'newborn')).toEqual([]);
    await produce('newborn', 2, 'first');
    expect(await consume('grows/a', 'newborn')).toEqual(['first']);
    await call('/admin/topics/newborn', { partitions: 4 }, { method: 'PATCH' });
    await produce('newborn', 3, 'in the new one');
    expect((await call('/consume/grows/a/newborn?timeout=5000')).body).toMatchObject([
      { value: 'in the new one' },
    ]);
  });

  it('by path, by GET with a body and by POST means the same', async () => {
    await produce('ways', 0, 'x');
    expect((await call('/consume/w/1/ways?timeout=0', undefined, earliest)).body).toMatchObject([
      { topic: 'ways', partition: 0, offset: 0, key: '', value: 'x', headers: [] },
    ]);
    const { request } = await import('undici');
    const { body } = await request(`${server.url}/consume/w2/1/`, {
      method: 'GET',
      headers: { authorization: server.basic, ...earliest },
      body: JSON.stringify({ topic: 'ways' }),
    });
    expect(await body.json()).toMatchObject([{ value: 'x' }]);
  });

  it('with the policy none gets what has no offset, until one is committed', async () => {
    await produce('asked', 0, 'a', 'b');
    const none = { 'Kafka-Auto-Offset-Reset': 'none' };
    const refused = await call('/consume/n/1', { topic: 'asked', timeout: 0 }, none);
    expect(refused).toMatchObject({ status: 409, body: { status: 409 } });
    expect((refused.body as { error: string }).error).toContain('asked/0, asked/1, asked/2');
    const offsets = [0, 1, 2].map((partition) => {
      return { topic: 'asked', partition, offset: partition === 0 ? 1 : 0 };
    });
    expect((await call('/commit/n/1', offsets)).status).toBe(200);
    expect(await consume('n/1', 'asked')).toEqual(['b']);
  });

  it('with the policy none is refused at once if its offset is gone, which is kept', async () => {
    await produce('left', 0, 'a', 'b');
    await produce('left', 1, 'x');
    const none = { 'Stream-Auto-Offset-Reset': 'none' };
    await call('/consume/l/1', { topic: 'left', timeout: 0 }, none);
    const offsets = [0, 1, 2].map((partition) => ({ topic: 'left', partition, offset: 0 }));
    await call('/commit/l/1', offsets);
    const { body } = await call('/consume/l/1', { topic: 'left', timeout: 0, maxRecords: 2 });
    expect(body).toHaveLength(2);
    await call('/admin/topics/left/purge', { partition: 0, before: 2 });
    await produce('left', 1, 'y');
    // The records of the other partitions come first.
    expect(await consume('l/1', 'left')).toEqual(['y']);
    const refused = { status: 409, body: { error: expect.stringMatching(/none: left\/0$/) } };
    expect(await call('/consume/l/1', { topic: 'left', timeout: 60_000 })).toMatchObject(refused);
    expect(await call('/consume/l/1', { topic: 'left', timeout: 60_000 })).toMatchObject(refused);
    expect(await committed('l', 'left')).toEqual([1, 2, 0]);
  });

  it.each([
    ['/consume/g/i', '{', 400, {}],
    ['/consume/g/i', '', 400, {}],
    ['/consume/g/i', {}, 400, {}],
    ['/consume/g/i', { topics: [] }, 400, {}],
    ['/consume/g/i', { topic: 't', timeout: -1 }, 400, {}],
    ['/consume/g/i', { topic: 'a/b' }, 400, {}],
    ['/consume/g/i', { topic: '__consumer_offsets' }, 400, {}],
    ['/consume/g/i', { topic: 't' }, 400, { 'Kafka-Auto-Offset-Reset': 'sometimes' }],
    [`/consume/${'g'.repeat(257)}/i`, { topic: 't' }, 400, {}],
    ['/commit/nobody/i', [], 404, {}],
    ['/delete-consumer/nobody/i', '', 404, {}],
    ['/committed/g/i', { topic: 'nowhere', partition: 0 }, 404, {}],
    ['/committed/g/i', { topic: 'asked', partition: 9 }, 404, {}],
    ['/committed/g/i', { topic: 'asked', partition: -1 }, 400, {}],
    ['/committed/g/i?timeout=x', [], 400, {}],
    ['/commit/n/1', { topic: 'asked', partition: 0, offset: -1 }, 400, {}],
    ['/commit/n/1', { topic: 'asked', partition: 0, offset: 1.5 }, 400, {}],
    ['/commit/n/1', { topic: 'asked', partition: 0 }, 400, {}],
    ['/commit/n/1', [], 400, { 'Stream-Generation': 'x' }],
    ['/commit/n/1', { topic: 'nowhere', partition: 0, offset: 0 }, 404, {}],
  ])('to %s of %j is refused with %i', async (path, body, status, headers) => {
    const answer = await call(path, body, headers as Record<string, string>);
    expect(answer).toMatchObject({ status, body: { error: expect.any(String), status } });
  });
});

describe('an instance', () => {
  it('keeps the settings of its first call', async () => {
    await produce('kept', 0, 'x');
    expect(await consume('keeps/1', 'kept')).toEqual([]);
    expect(await consume('keeps/1', 'kept', earliest)).toEqual([]);
  });

  it('reads the topics that it requested last, and no others', async () => {
    await produce('one', 0, 'a1');
    await produce('two', 0, 'b1');
    expect(await consume('turns/1', 'one', earliest)).toEqual(['a1']);
    expect(await consume('turns/1', 'two')).toEqual(['b1']);
    await produce('one', 0, 'a2');
    expect(await consume('turns/1', 'two')).toEqual([]);
    expect((await consume('turns/1', ['one', 'two'])).sort()).toEqual(['a2']);
  });

  it('is called by one client at a time: another call waits until its timeout', async () => {
    await consume('busy/1', 'quiet');
    const first = call('/consume/busy/1', { topic: 'quiet', timeout: 10_000 });
    await callOf(server, 'busy');
    expect((await call('/consume/busy/1', { topic: 'quiet', timeout: 20 })).status).toBe(409);
    const third = call('/consume/busy/1', { topic: 'quiet', timeout: 10_000 });
    await produce('quiet', 0, 'for the first');
    expect((await first).body).toMatchObject([{ value: 'for the first' }]);
    await produce('quiet', 1, 'for the third');
    expect((await third).body).toMatchObject([{ value: 'for the third' }]);
  });

  it('wakes with nothing when it is deleted, and when others take its partitions', async () => {
    await consume('woken/a', 'beds');
    const waiting = call('/consume/woken/a', { topic: 'beds', timeout: 30_000 });
    await callOf(server, 'woken');
    await consume('woken/b', 'beds');
    expect(await waiting).toMatchObject({ status: 200, body: [] });
    await callsEnded(server, 'woken');
    const again = call('/consume/woken/a', { topic: 'beds', timeout: 30_000 });
    await callOf(server, 'woken');
    expect((await call('/delete-consumer/woken/a', undefined, { method: 'DELETE' })).body).toEqual({
      result: 'Success',
      status: 200,
    });
    expect((await again).body).toEqual([]);
  });

  it('is refused beyond the number of partitions of all topics', async () => {
    const small = await startServer({ environment: { STEPWELL_TOPIC_PARTITIONS: '1' } });
    await callLog(small, '/consume/g/1', { topic: 't', timeout: 0 });
    const { status } = await callLog(small, '/consume/g/2', { topic: 't', timeout: 0 });
    await small.remove();
    expect(status).toBe(409);
  });

  it('of a topic that is deleted and created again starts anew', async () => {
    await produce('phoenix', 0, 'old', 'older');
    expect(await consume('ashes/1', 'phoenix', manual)).toEqual(['old', 'older']);
    await call('/commit/ashes/1', []);
    await call('/admin/topics/phoenix', undefined, { method: 'DELETE' });
    await produce('phoenix', 0, 'new');
    expect((await call('/consume/ashes/1/phoenix?timeout=5000')).body).toMatchObject([
      { offset: 0, value: 'new' },
    ]);
    expect(await committed('ashes', 'phoenix')).toEqual([-1, -1, -1]);
  });
});

it('a seek in a partition of another instance is void if the topic is created again', async () => {
  for (const instance of ['a', 'b']) await consume(`sought/${instance}`, 'remade', earliest);
  await produce('remade', 0, 'old', 'older', 'oldest');
  const seek = { topic: 'remade', partition: 0, offset: 2 };
  expect((await call('/seek/sought/b', seek)).status).toBe(200);
  await call('/admin/topics/remade', undefined, { method: 'DELETE' });
  await produce('remade', 0, 'new', 'newer', 'newest');
  await call('/delete-consumer/sought/a', undefined, { method: 'DELETE' });
  const answer = await call('/consume/sought/b', { topic: 'remade', timeout: 5000 });
  expect(answer.body).toMatchObject([{ offset: 0 }, { offset: 1 }, { offset: 2 }]);
});

describe('records', () => {
  it('are shared fairly among partitions, and one is always returned', async () => {
    await produce('budget', 0, ...Array.from({ length: 8 }, () => 'x'.repeat(100)));
    await produce('budget', 1, 'y');
    const body = { topic: 'budget', timeout: 0, maxRecords: 4 };
    const some = (await call('/consume/b/1', body, earliest)).body as { value: string }[];
    expect(some.map(({ value }) => value[0]).sort()).toEqual(['x', 'x', 'y']);
    const one = await call('/consume/b/1', { topic: 'budget', timeout: 0, maxBytes: 10 });
    expect(one.body).toHaveLength(1);
    expect(await consume('b/1', 'budget')).toHaveLength(5);
  });

  it('of bytes that are not text are reported as such, or come as Base64', async () => {
    const value = Buffer.from([0xff, 0x00]).toString('base64');
    await call('/produce/bytes', { value, partition: 0 }, { 'Stream-Encoding': 'base64' });
    const body = { topic: 'bytes', timeout: 0 };
    const text = await call('/consume/bytes/1', body, earliest);
    expect(text.headers.get('stream-replaced-records')).toBe('1');
    expect(text.body).toMatchObject([{ value: '\ufffd\u0000' }]);
    const base64 = { ...earliest, 'Stream-Encoding': 'base64' };
    expect((await call('/consume/bytes2/1', body, base64)).body).toMatchObject([{ value }]);
    expect((await call('/consume/bytes/1', body, { 'Stream-Encoding': 'hex' })).status).toBe(400);
  });

  it('come again if the client is gone before its answer was written', async () => {
    const large = 'z'.repeat(4 * 1024 * 1024);
    for (let index = 0; index < 4; index += 1) await produce('lost', 0, large);
    await consume('loses/1', 'nothing-yet', earliest);
    const payload = JSON.stringify({ topic: 'lost' });
    await new Promise<void>((resolve) => {
      const sent = httpRequest(
        `${server.url}/consume/loses/1`,
        { method: 'POST', headers: { authorization: server.basic } },
        (response) => {
          response.destroy();
          resolve();
        },
      );
      sent.on('error', () => undefined);
      sent.end(payload);
    });
    const { body } = await call('/consume/loses/1', { topic: 'lost', timeout: 10_000 });
    expect((body as { offset: number }[])[0]?.offset).toBe(0);
  });

  it('are not given to a client that disconnected while it waited', async () => {
    await consume('gone/1', 'rooms');
    const arrival = once(server.application.nest.getHttpServer(), 'connection');
    const client = connect(server.port, '127.0.0.1');
    const [accepted] = (await arrival) as [Socket];
    const body = JSON.stringify({ topic: 'rooms', timeout: 60_000 });
    const head = ['POST /consume/gone/1 HTTP/1.1', 'Host: a', `Authorization: ${server.basic}`];
    client.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await callOf(server, 'gone');
    client.destroy();
    // What the operating system has taken for a client counts as given, even if the client is gone.
    await once(accepted, 'close');
    await produce('rooms', 0, 'still there');
    expect((await call('/consume/gone/1', { topic: 'rooms', timeout: 5000 })).body).toMatchObject([
      { value: 'still there' },
    ]);
  });
});

describe('a credential', () => {
  it('that may consume one topic reads only this topic', async () => {
    await produce('open', 0, 'x');
    const { body } = await call('/admin/credentials', {
      name: 'one-topic',
      topic: 'open',
      permissions: 'CONSUME',
    });
    const { username, password } = body as { username: string; password: string };
    const pair = Buffer.from(`${username}:${password}`).toString('base64');
    const own = { ...earliest, authorization: `Basic ${pair}` };
    expect(await consume('rights/1', 'open', own)).toEqual(['x']);
    const place = { topic: 'words', partition: 0, offset: 0 };
    for (const [path, body] of [
      ['/consume/rights/1', { topics: ['open', 'words'], timeout: 0 }],
      ['/commit/rights/1', place],
      ['/committed/rights/1', place],
      ['/seek/rights/1', place],
    ] as const) {
      expect([path, (await call(path, body, own)).status]).toEqual([path, 403]);
    }
    expect((await call('/delete-consumer/rights/1', '', own)).status).toBe(200);
  });
});

it('groups, their instances and their rebalances are counted', async () => {
  await consume('counted/1', 'numbers');
  const response = await fetch(`${server.url}/metrics`);
  const text = await response.text();
  for (const name of ['consumer_groups', 'consumer_instances', 'rebalances_total']) {
    expect(text).toMatch(new RegExp(`^stepwell_${name} [1-9]`, 'm'));
  }
});

describe('a commit', () => {
  it('beyond the end of a partition is refused with the range, and stores nothing', async () => {
    await produce('short', 0, 'a', 'b');
    await consume('beyond/1', 'short', manual);
    const at = (offset: number, partition = 0) => ({ topic: 'short', partition, offset });
    const beyond = { status: 416, body: { status: 416, topic: 'short', earliest: 0 } };
    for (const [body, partition, latest] of [
      [at(3), 0, 2],
      [at(Number.MAX_SAFE_INTEGER), 0, 2],
      [{ ...at(2), processed: true }, 0, 2],
      [[at(1), at(1, 1)], 1, 0],
      [[at(0, 1), at(3)], 0, 2],
    ] as const) {
      const refused = await call('/commit/beyond/1', body);
      expect(refused).toMatchObject(beyond);
      expect(refused.body).toMatchObject({ partition, latest });
      expect((refused.body as { error: string }).error).toContain(`from 0 to ${latest}`);
      expect(await committed('beyond', 'short')).toEqual([-1, -1, -1]);
    }
    expect(
      (await call('/commit/beyond/1', [at(1), { topic: 'no', partition: 0, offset: 0 }])).status,
    ).toBe(404);
    expect(await committed('beyond', 'short')).toEqual([-1, -1, -1]);
    expect((await call('/commit/beyond/1', [at(2), at(0, 1)])).status).toBe(200);
    expect(await committed('beyond', 'short')).toEqual([2, 0, -1]);
  });

  it('below the start of the log is accepted: its reader was given that record', async () => {
    await produce('trimmed', 0, 'a', 'b', 'c');
    await consume('below/1', 'trimmed', manual);
    await call('/admin/topics/trimmed/purge', { partition: 0, before: 3 });
    const position = { topic: 'trimmed', partition: 0, offset: 1 };
    expect((await call('/commit/below/1', position)).status).toBe(200);
    expect(await committed('below', 'trimmed')).toEqual([1, -1, -1]);
  });

  it('of partitions of a live member is refused to others, and names the owner', async () => {
    await produce('fields', 2, 'a', 'b', 'c', 'd', 'e');
    await consume('fence/a', 'fields');
    await consume('fence/b', 'fields');
    const offset = { topic: 'fields', partition: 2, offset: 5 };
    const refused = await call('/commit/fence/a', offset);
    expect(refused.status).toBe(409);
    expect((refused.body as { error: string }).error).toContain('instance b');
    expect((await call('/commit/fence/b', offset)).status).toBe(200);
    expect(await committed('fence', 'fields')).toEqual([-1, -1, 5]);
  });

  it('of an earlier generation is refused', async () => {
    const { headers } = await call('/consume/age/a', { topic: 'eras', timeout: 0 });
    const generation = headers.get('stream-generation') ?? '';
    const offset = { topic: 'eras', partition: 0, offset: 0 };
    const believed = { 'Stream-Generation': generation };
    expect((await call('/commit/age/a', offset, believed)).status).toBe(200);
    await consume('age/b', 'eras');
    expect((await call('/commit/age/a', offset, believed)).status).toBe(409);
  });

  it('of a processed record stores the next offset, and any other one what is sent', async () => {
    for (const partition of [0, 1, 2]) await produce('words', partition, 'a', 'b', 'c', 'd', 'e');
    await consume('exact/1', 'words', manual);
    await call('/commit/exact/1', [
      { topic: 'words', partition: 0, offset: 4, processed: true },
      { topic: 'words', partition: 1, offset: 4 },
      { topic: 'words', partition: 2, offset: 2 },
      { topic: 'words', partition: 2, offset: 3 },
    ]);
    expect(await committed('exact', 'words')).toEqual([5, 4, 3]);
  });

  it('without a body commits what was given, and does not move the reader', async () => {
    await produce('steps', 0, 'a', 'b', 'c');
    await call('/consume/walk/1', { topic: 'steps', timeout: 0, maxRecords: 1 }, manual);
    expect((await call('/commit/walk/1', '')).body).toEqual({ result: 'Success', status: 200 });
    expect(await committed('walk', 'steps')).toEqual([1, -1, -1]);
    expect(await consume('walk/1', 'steps')).toEqual(['b', 'c']);
    await call('/commit/walk/1', { topic: 'steps', partition: 0, offset: 0 });
    expect(await consume('walk/1', 'steps')).toEqual([]);
    expect(await committed('walk', 'steps')).toEqual([0, -1, -1]);
  });
});

const hasNobody = async (from: TestServer) => {
  const { body } = await callLog(from, '/consumers');
  return (body as unknown[]).length === 0;
};

describe('the timing of an instance', () => {
  it('commits at its interval what was acknowledged or written', async () => {
    const clock = new ManualClock();
    const timed = await startServer({ ports: { clock } });
    await produceTo(timed, 't', 0, 'a', 'b');
    const headers = { ...earliest, 'Stream-Auto-Commit-Interval': '1000' };
    await consumed(timed, 'g/1', 't', headers);
    expect(await committedOf(timed, 'g', 't')).toEqual([-1, -1, -1]);
    // The server may learn slightly later than the client that its answer was written completely.
    await until(async () => {
      clock.advance(1001);
      return (await committedOf(timed, 'g', 't'))[0] === 2;
    });
    await timed.remove();
  });

  it('removes it after a long silence, with what it was given committed', async () => {
    const clock = new ManualClock();
    const timed = await startServer({ ports: { clock } });
    await produceTo(timed, 't', 0, 'a');
    const headers = {
      ...earliest,
      'Stream-Auto-Commit-Interval': '3600000',
      'Stream-Session-Timeout-Ms': '9000',
    };
    await consumed(timed, 'g/1', 't', headers);
    await callsEnded(timed, 'g');
    clock.advance(8999);
    await soon();
    expect((await callLog(timed, '/consumers')).body).toHaveLength(1);
    clock.advance(1);
    await until(() => hasNobody(timed));
    expect(await committedOf(timed, 'g', 't')).toEqual([1, -1, -1]);
    await timed.remove();
  });

  it('is not affected if the wall clock is set back', async () => {
    const clock = new ManualClock();
    const timed = await startServer({ ports: { clock } });
    await produceTo(timed, 't', 0, 'a', 'b');
    const headers = { ...earliest, 'Stream-Session-Timeout-Ms': '30000' };
    await consumed(timed, 'g/1', 't', headers);
    const waiting = callLog(timed, '/consume/g/2/t?timeout=20000', undefined, headers);
    await callOf(timed, 'g');
    clock.set(clock.now() - 86_400_000);
    clock.advance(5001);
    await until(async () => (await committedOf(timed, 'g', 't'))[0] === 2);
    clock.advance(15_000);
    expect((await waiting).body).toEqual([]);
    clock.advance(10_000);
    await until(async () => (await membersOf(timed, 'g')).length === 1);
    await timed.remove();
  });

  it('has a default timeout of two minutes without a call, or as configured', async () => {
    for (const [environment, ms] of [
      [{}, 120_000],
      [{ STEPWELL_CONSUMER_IDLE: '30s' }, 30_000],
    ] as const) {
      const clock = new ManualClock();
      const timed = await startServer({ ports: { clock }, environment });
      await consumed(timed, 'g/1', 't');
      const { members } = (await callLog(timed, '/admin/groups/g')).body as {
        members: { sessionTimeoutMs: number }[];
      };
      expect(members.map(({ sessionTimeoutMs }) => sessionTimeoutMs)).toEqual([ms]);
      await callsEnded(timed, 'g');
      clock.advance(ms - 1);
      await soon();
      expect((await callLog(timed, '/consumers')).body).toHaveLength(1);
      clock.advance(1);
      await until(() => hasNobody(timed));
      await timed.remove();
    }
  });

  it('frees its place for a new instance, even if no timer has fired yet', async () => {
    const clock = new ManualClock();
    const environment = { STEPWELL_TOPIC_PARTITIONS: '1' };
    const timed = await startServer({ ports: { clock }, environment });
    const brief = { 'Stream-Session-Timeout-Ms': '5000' };
    const join = async (instance: string) =>
      (await callLog(timed, `/consume/g/${instance}`, { topic: 't', timeout: 0 }, brief)).status;
    expect(await join('old')).toBe(200);
    expect(await join('new')).toBe(409);
    clock.stall(5000);
    expect(await join('new')).toBe(200);
    expect(await join('old')).toBe(409);
    expect((await callLog(timed, '/consumers')).body).toMatchObject([
      { instances: [{ name: 'new', topics: [{ topic: 't', partitions: [0] }] }] },
    ]);
    await timed.remove();
  });

  it.each(['0', '999', '86400001', '5s', '-1', '1.5'])(
    'with a timeout of %j is refused, and no instance is created',
    async (timeout) => {
      const header = { 'Stream-Session-Timeout-Ms': timeout };
      const refused = await call('/consume/bounds/1', { topic: 't', timeout: 0 }, header);
      expect(refused.status).toBe(400);
      expect((refused.body as { error: string }).error).toContain('1000 to 86400000');
      expect((await call('/admin/groups/bounds')).status).toBe(404);
    },
  );

  it('deletes an empty group with its committed offsets', async () => {
    const clock = new ManualClock();
    const environment = { STEPWELL_GROUP_RETENTION: '1h' };
    const timed = await startServer({ ports: { clock }, environment });
    await produceTo(timed, 't', 0, 'a', 'b', 'c');
    await consumed(timed, 'g/1', 't');
    await callLog(timed, '/commit/g/1', { topic: 't', partition: 0, offset: 3 });
    await callLog(timed, '/delete-consumer/g/1', '');
    expect(await committedOf(timed, 'g', 't')).toEqual([3, -1, -1]);
    for (let minute = 0; minute < 61; minute += 1) clock.advance(60_000);
    await until(async () => (await committedOf(timed, 'g', 't'))[0] === -1);
    await timed.remove();
  });

  it('keeps an empty group and its offsets while the clock has jumped ahead', async () => {
    const clock = new ManualClock();
    const environment = { STEPWELL_GROUP_RETENTION: '2h' };
    const timed = await startServer({ ports: { clock }, environment });
    const passing = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.advance(60_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await produceTo(timed, 't', 0, 'a', 'b', 'c');
    await consumed(timed, 'g/1', 't');
    await callLog(timed, '/commit/g/1', { topic: 't', partition: 0, offset: 3 });
    await callLog(timed, '/delete-consumer/g/1', '');
    clock.set(clock.now() + 86_400_000);
    await passing(30);
    expect(await committedOf(timed, 'g', 't')).toEqual([3, -1, -1]);
    clock.set(clock.monotonic());
    await passing(60);
    expect(await committedOf(timed, 'g', 't')).toEqual([3, -1, -1]);
    await passing(31);
    await until(async () => (await committedOf(timed, 'g', 't'))[0] === -1);
    await timed.remove();
  });
});

describe('a restart', () => {
  const place = async () => join(await mkdtemp(join(tmpdir(), 'stepwell-')), 'data');

  it('keeps groups, generations and positions; the last records come again', async () => {
    const before = await startServer();
    await produceTo(before, 't', 0, 'a');
    await produceTo(before, 't', 2, 'z');
    await consumed(before, 'g/1', 't', earliest);
    await consumed(before, 'g/2', 't', earliest);
    await consumed(before, 'g/1', 't');
    const consumers = (await callLog(before, '/consumers')).body;
    const generation = async (server: TestServer) =>
      (await callLog(server, '/consume/g/1', { topic: 't', timeout: 0 })).headers.get(
        'stream-generation',
      );
    const known = await generation(before);
    await produceTo(before, 't', 1, 'b');
    expect(await consumed(before, 'g/1', 't')).toEqual(['b']);
    await before.stop();
    const after = await startServer({ dataDirectory: before.dataDirectory });
    expect((await callLog(after, '/consumers')).body).toEqual(consumers);
    expect(await consumed(after, 'g/1', 't')).toEqual(['b']);
    expect(await generation(after)).toBe(known);
    await after.remove();
  });

  it('after a crash starts where `latest` pointed, even if nothing was committed', async () => {
    const before = await startServer();
    await produceTo(before, 't', 0, 'before');
    expect(await consumed(before, 'g/1', 't')).toEqual([]);
    await produceTo(before, 't', 0, 'after');
    const dataDirectory = await place();
    await cp(before.dataDirectory, dataDirectory, { recursive: true });
    await before.remove();
    const after = await startServer({ dataDirectory });
    expect(await consumed(after, 'g/1', 't')).toEqual(['after']);
    await after.stop();
    await rm(join(dataDirectory, '..'), { recursive: true });
  });

  it('closes instances that do not come back within their session timeout', async () => {
    const before = await startServer();
    await consumed(before, 'g/1', 't', { 'Stream-Session-Timeout-Ms': '9000' });
    await before.stop();
    const clock = new ManualClock(Date.now());
    const after = await startServer({ dataDirectory: before.dataDirectory, ports: { clock } });
    clock.advance(8000);
    await soon();
    expect((await callLog(after, '/consumers')).body).toHaveLength(1);
    clock.advance(1001);
    await until(() => hasNobody(after));
    await after.remove();
  });

  it('answers a waiting consumer with nothing', async () => {
    const before = await startServer();
    await consumed(before, 'g/1', 't');
    const waiting = callLog(before, '/consume/g/1', { topic: 't', timeout: 60_000 });
    await callOf(before, 'g');
    await before.remove();
    expect((await waiting).body).toEqual([]);
  });
});
