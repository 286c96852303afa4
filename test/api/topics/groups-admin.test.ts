import { dispatchAll } from '../../../src/engine/bulk/slices.js';
import { Engine } from '../../../src/engine/engine.js';
import { GroupViews } from '../../../src/topics/groups/group-views.js';
import { GroupsAdmin } from '../../../src/topics/groups-admin/groups-admin.js';
import { callLog, committedOf, consumed, produceTo } from '../../support/clients/log-client.js';
import { callOf } from '../../support/clients/log-waits.js';
import { joinGroup } from '../../support/consumer-commands.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await produceTo(server, 'rides', 0, 'a', 'b', 'c');
  await produceTo(server, 'rides', 1, 'd');
});

afterAll(() => server.remove());

const call = (path: string, body?: unknown, headers?: Record<string, string>) =>
  callLog(server, path, body, headers);
const manual = {
  'Stream-Auto-Offset-Reset': 'earliest',
  'Stream-Enable-Auto-Commit': 'false',
};
const remove = { method: 'DELETE' };

describe('a group', () => {
  it('is shown with its members, their positions and its lag', async () => {
    await consumed(server, 'seen/1', 'rides', manual);
    await call('/commit/seen/1', { topic: 'rides', partition: 0, offset: 1 });
    const { body } = await call('/admin/groups/seen');
    expect(body).toMatchObject({
      name: 'seen',
      phase: 'live',
      generation: 1,
      strategy: 'range',
      memberCount: 1,
      emptySince: null,
      lag: 3,
      members: [
        {
          instance: '1',
          topics: ['rides'],
          assignments: [{ topic: 'rides', partitions: [0, 1, 2] }],
          lastSeenAt: expect.any(Number),
          autoCommit: false,
        },
      ],
      partitions: [
        {
          topic: 'rides',
          partition: 0,
          owner: '1',
          committed: 1,
          position: 3,
          endOffset: 3,
          lag: 2,
        },
        { topic: 'rides', partition: 1, owner: '1', committed: null, position: 1, lag: 1 },
        { topic: 'rides', partition: 2, owner: '1', committed: null, position: 0, lag: 0 },
      ],
    });
    expect((await call('/admin/groups')).body).toMatchObject([{ name: 'seen', lag: 3 }]);
  });

  it('is deleted with its offsets once it has no members, and may be created again', async () => {
    await consumed(server, 'brief/1', 'rides', manual);
    await call('/commit/brief/1', []);
    expect((await call('/admin/groups/brief', undefined, remove)).status).toBe(409);
    await call('/delete-consumer/brief/1', '');
    expect((await call('/admin/groups/brief', undefined, remove)).status).toBe(200);
    while ((await call('/admin/groups/brief')).status !== 404);
    expect(await committedOf(server, 'brief', 'rides')).toEqual([-1, -1, -1]);
    expect((await consumed(server, 'brief/1', 'rides', manual)).sort()).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it.each([
    ['earliest', [0, 0, 0]],
    ['latest', [3, 1, 0]],
    [2, [2, 1, 0]],
    [{ offset: 2 }, [2, 1, 0]],
    [{ timestamp: 0 }, [0, 0, 0]],
    [{ timestamp: 9e15 }, [3, 1, 0]],
  ])('is reset to %j, after a dry run that shows it', async (to, offsets) => {
    const group = `reset-${JSON.stringify(to)}`;
    const path = `/admin/groups/${encodeURIComponent(group)}/offsets`;
    await consumed(server, `${encodeURIComponent(group)}/1`, 'rides', manual);
    const moves = offsets.map((offset, partition) => {
      return { topic: 'rides', partition, from: -1, to: offset };
    });
    expect((await call(path, { topic: 'rides', to, dryRun: true })).body).toEqual(moves);
    expect((await call(path, { topic: 'rides', to })).status).toBe(409);
    await call(`/delete-consumer/${encodeURIComponent(group)}/1`, '');
    expect((await call(path, { topic: 'rides', to })).body).toEqual(moves);
    expect(await committedOf(server, encodeURIComponent(group), 'rides')).toEqual(offsets);
  });

  it('is reset in one partition', async () => {
    await consumed(server, 'single/1', 'rides', manual);
    await call('/delete-consumer/single/1', '');
    const reset = { topic: 'rides', partition: 1, to: 'latest' };
    expect((await call('/admin/groups/single/offsets', reset)).body).toEqual([
      { topic: 'rides', partition: 1, from: -1, to: 1 },
    ]);
  });

  it.each([
    ['GET', '/admin/groups/nobody', undefined, 404],
    ['DELETE', '/admin/groups/nobody', undefined, 404],
    ['POST', '/admin/groups/nobody/offsets', { topic: 'rides', to: 'latest' }, 404],
    ['POST', '/admin/groups/seen/offsets', { topic: 'nowhere', to: 'latest' }, 404],
    ['POST', '/admin/groups/seen/offsets', { topic: 'rides', partition: 9, to: 'latest' }, 404],
    ['POST', '/admin/groups/seen/offsets', { topic: 'rides', to: 'soon' }, 400],
    ['POST', '/admin/groups/seen/offsets', { topic: 'rides', to: -1 }, 400],
    ['POST', '/admin/groups/seen/offsets', { topic: 'rides', to: 'latest', dry: true }, 400],
    ['POST', '/seek/nobody/1', { topic: 'rides', partition: 0, earliest: true }, 404],
    ['POST', '/seek/seen/1', { topic: 'nowhere', partition: 0, earliest: true }, 404],
    ['POST', '/seek/seen/1', { topic: 'rides', partition: 0 }, 400],
    ['POST', '/seek/seen/1', { topic: 'rides', partition: 0, offset: 1, latest: true }, 400],
    ['POST', '/seek/seen/1', { topic: 'rides', partition: 0, offset: 99 }, 416],
  ])('%s %s of %j is answered %i', async (method, path, body, status) => {
    expect(await call(path, body, { method })).toMatchObject({ status, body: { status } });
  });

  it.each(['2', 'soon', 1.5, null, { offset: 1, timestamp: 1 }])(
    'is not reset to %j, and the refusal lists the valid forms',
    async (to) => {
      expect(await call('/admin/groups/seen/offsets', { topic: 'rides', to })).toMatchObject({
        status: 400,
        body: { error: 'to: must be earliest, latest, an offset, {"offset"} or {"timestamp"}' },
      });
    },
  );

  it('is not accessible to a credential that may only consume', async () => {
    const { body } = await call('/admin/credentials', {
      name: 'reader',
      topic: '*',
      permissions: 'CONSUME',
    });
    const { username, password } = body as { username: string; password: string };
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    expect((await call('/consumers', undefined, { authorization })).status).toBe(200);
    expect((await call('/admin/groups', undefined, { authorization })).status).toBe(403);
  });
});

it('many groups are listed without blocking other requests', async () => {
  const many = await startServer();
  const { nest } = many.application;
  const joins = Array.from({ length: 3000 }, (_, index) => joinGroup('i', { id: `g${index}` }));
  await dispatchAll(nest.get(Engine), joins);
  await nest.get(GroupViews).whenAt('g2999', 1);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await nest.get(GroupsAdmin).list()).toHaveLength(3000);
  isOver = true;
  expect(turns).toBeGreaterThan(1);
  await many.remove();
});

describe('a seek', () => {
  it('moves an instance back and forth, and is not a commit', async () => {
    await consumed(server, 'moves/1', 'rides', manual);
    await call('/commit/moves/1', []);
    const seek = (to: object) => call('/seek/moves/1', { topic: 'rides', partition: 0, ...to });
    expect((await seek({ offset: 1 })).body).toEqual([{ topic: 'rides', partition: 0, offset: 1 }]);
    expect(await consumed(server, 'moves/1', 'rides')).toEqual(['b', 'c']);
    await seek({ earliest: true });
    expect(await consumed(server, 'moves/1', 'rides')).toEqual(['a', 'b', 'c']);
    await seek({ latest: true });
    expect(await consumed(server, 'moves/1', 'rides')).toEqual([]);
    await seek({ timestamp: 0 });
    expect(await consumed(server, 'moves/1', 'rides')).toEqual(['a', 'b', 'c']);
    expect(await committedOf(server, 'moves', 'rides')).toEqual([3, 1, -1]);
  });

  it('wakes a waiting consumer', async () => {
    await consumed(server, 'sleeps/1', 'rides');
    const waiting = call('/consume/sleeps/1', { topic: 'rides', timeout: 30_000 });
    await callOf(server, 'sleeps');
    await call('/seek/sleeps/1', { topic: 'rides', partition: 1, earliest: true });
    expect((await waiting).body).toMatchObject([{ value: 'd' }]);
  });

  it('in a partition of another instance counts once the partition is acquired', async () => {
    await consumed(server, 'later/a', 'rides');
    await consumed(server, 'later/b', 'rides');
    await call('/seek/later/b', { topic: 'rides', partition: 0, offset: 2 });
    await call('/delete-consumer/later/a', '');
    expect(await consumed(server, 'later/b', 'rides')).toEqual(['c']);
  });

  it('survives a restart of the server', async () => {
    const before = await startServer();
    await produceTo(before, 't', 0, 'a', 'b');
    await consumed(before, 'g/1', 't');
    await callLog(before, '/seek/g/1', { topic: 't', partition: 0, offset: 1 });
    await before.stop();
    const after = await startServer({ dataDirectory: before.dataDirectory });
    expect(await consumed(after, 'g/1', 't')).toEqual(['b']);
    await after.remove();
  });
});
