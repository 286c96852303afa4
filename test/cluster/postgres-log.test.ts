import type { CommitLog } from '../../src/cluster/commit-log.js';
import { ClusterNode } from '../../src/cluster/node.js';
import { PostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { ownershipRules } from '../../src/cluster/rules.js';
import { systemClock } from '../../src/engine/clock.js';
import { describeWithPostgres, PostgresServer } from '../support/program/postgres.js';

const limitMs = 120_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = (text: string) => Buffer.from(text);

describeWithPostgres('a log in PostgreSQL', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  const logs: CommitLog[] = [];
  const open = (shard: string) => {
    const log = new PostgresLog({ urls: [primary.url, standby.url], shard });
    logs.push(log);
    return log;
  };

  beforeAll(async () => {
    primary = await PostgresServer.create();
    standby = await primary.follower();
  }, limitMs);

  afterAll(async () => {
    for (const log of logs) await log.close();
    await primary.kill();
    await standby.kill();
  }, limitMs);

  it('assigns places in order, and refuses all other places', async () => {
    const [log, other] = [open('places'), open('places')];
    const now = expect.any(Number);
    expect(await log.read(0)).toEqual({ start: 0, end: 0, entries: [], now });
    expect(await log.append(1, bytes('too early'))).toEqual({ kind: 'refused' });
    const first = await log.append(0, bytes('a'));
    expect(first).toMatchObject({ kind: 'stored', place: 0 });
    expect(await other.append(0, bytes('taken'))).toEqual({ kind: 'refused' });
    expect(await other.append(1, bytes('b'))).toMatchObject({ kind: 'stored', place: 1 });
    const { entries, end } = await log.read(0);
    expect(entries.map(({ place, bytes: each }) => [place, String(each)])).toEqual([
      [0, 'a'],
      [1, 'b'],
    ]);
    expect(end).toBe(2);
    expect(entries[1]?.at).toBeGreaterThanOrEqual(entries[0]?.at ?? 0);
  });

  it('deletes what is trimmed, and keeps the places of the rest', async () => {
    const log = open('trimmed');
    for (let place = 0; place < 40; place += 1) await log.append(place, bytes(`${place}`));
    await log.trim(30);
    expect(await log.read(0)).toMatchObject({ start: 30, end: 40 });
    await log.trim(1000);
    expect(await log.read(0)).toMatchObject({ start: 39, end: 40 });
    expect(await log.append(40, bytes('next'))).toMatchObject({ kind: 'stored', place: 40 });
  });

  it('compresses its entries with the fastest method', async () => {
    await open('compressed').append(0, bytes('{"id":1}'.repeat(4096)));
    const stored = "from stepwell_log where shard = 'compressed'";
    expect(primary.ask(`select pg_column_compression(bytes) ${stored}`)).toBe('lz4');
    expect(Number(primary.ask(`select pg_column_size(bytes) ${stored}`))).toBeLessThan(4096);
  });

  it('needs no right to create a table that exists', async () => {
    await open('rights').append(0, bytes('a'));
    primary.ask('create role clerk login; grant select, insert, delete on stepwell_log to clerk');
    const url = primary.url.replace('postgres@', 'clerk@');
    const log = new PostgresLog({ urls: [url], shard: 'rights' });
    logs.push(log);
    expect(await log.append(1, bytes('b'))).toMatchObject({ kind: 'stored', place: 1 });
    await log.trim(1);
    expect(await log.read(0)).toMatchObject({ start: 1, end: 2 });
  });

  it('gives a place to only one of two writers', async () => {
    const writers = [open('race'), open('race'), open('race')];
    for (let place = 0; place < 20; place += 1) {
      const outcomes = await Promise.all(writers.map((log) => log.append(place, bytes('x'))));
      expect(outcomes.filter(({ kind }) => kind === 'stored')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(2);
    }
  });

  it('does not take a cancelled wait for its standby as an acknowledgement', async () => {
    const log = open('cancelled');
    await log.append(0, bytes('before'));
    await standby.kill();
    const outcome = log.append(1, bytes('waits'));
    const waiting = "from pg_stat_activity where wait_event = 'SyncRep'";
    while (primary.ask(`select count(*) ${waiting}`) === '0') await pause(50);
    primary.ask(`select pg_cancel_backend(pid) ${waiting}`);
    expect(await outcome).toEqual({ kind: 'unknown' });
    // The entry may count all the same: the same bytes at its place are refused, and a read shows
    // them.
    await standby.start();
    expect(await log.append(1, bytes('waits'))).toEqual({ kind: 'refused' });
    expect((await log.read(1)).entries.map((entry) => String(entry.bytes))).toEqual(['waits']);
  }, 60_000);

  it('reports the time, even if a read shows what has waited for its standby', async () => {
    const log = open('late');
    const from = Date.now();
    await log.append(0, bytes('before'));
    await standby.kill();
    const outcome = log.append(1, bytes('waits'));
    const waiting = "from pg_stat_activity where wait_event = 'SyncRep'";
    while (primary.ask(`select count(*) ${waiting}`) === '0') await pause(50);
    await pause(1500);
    await standby.start();
    await outcome;
    const since = Date.now();
    const { entries, now } = await log.read(1);
    expect(now).toBeGreaterThanOrEqual(since);
    expect(now).toBeLessThanOrEqual(Date.now());
    expect(entries[0]?.at).toBeGreaterThanOrEqual(from);
    expect(since - (entries[0]?.at ?? 0)).toBeGreaterThan(1400);
  }, 60_000);

  it(
    'lets nodes survive the death of its server with everything acknowledged',
    async () => {
      const times = { proofMs: 400, silenceMs: 700, marginMs: 50, beatMs: 80, retryMs: 30 };
      const folded: string[][] = [[], []];
      const nodes = folded.map((texts, index) => {
        const none = () => undefined;
        return new ClusterNode({
          log: open('nodes'),
          clock: systemClock,
          name: `node-${index}`,
          life: `00000000000000a${index}`,
          rules: ownershipRules,
          times,
          jitterMs: 100 * index,
          appendMs: 500,
          listener: {
            counted: ({ body }) => texts.push(String(body)),
            took: none,
            released: () => undefined,
            stoodDown: none,
            resync: () => Promise.reject(new Error('nothing was trimmed')),
            stopped: (error) => {
              throw error;
            },
          },
        });
      });
      const acknowledged: string[] = [];
      const commit = async (name: string) => {
        for (let attempt = 0; ; attempt += 1) {
          const owner = nodes.find((node) => node.maySubmit);
          if (owner === undefined) {
            await pause(5);
            continue;
          }
          const text = `${name}.${attempt}`;
          const counts = await owner.submit(bytes(text)).then(
            () => true,
            () => false,
          );
          if (counts) {
            acknowledged.push(text);
            return;
          }
        }
      };
      for (let at = 0; at < 50; at += 1) await commit(`before ${at}`);
      const dying = (async () => {
        await pause(30);
        await primary.kill();
        standby.promote();
      })();
      for (let at = 0; at < 50; at += 1) await commit(`after ${at}`);
      await dying;
      const all = () => nodes.map((node) => node.state.sequence);
      while (new Set(all()).size > 1) await pause(20);
      expect(folded[0]).toEqual(folded[1]);
      const count = (text: string) => folded[0]?.filter((each) => each === text).length;
      expect(acknowledged.map(count)).toEqual(acknowledged.map(() => 1));
      for (const node of nodes) node.close();
    },
    limitMs,
  );
});
