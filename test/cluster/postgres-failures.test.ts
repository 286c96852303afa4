import type { CommitLog, ReadEntries } from '../../src/cluster/commit-log.js';
import { PostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { describeWithPostgres, PostgresServer } from '../support/program/postgres.js';

const limitMs = 120_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = (text: string) => Buffer.from(text);
const texts = ({ entries }: ReadEntries) => entries.map((entry) => String(entry.bytes));
const waiting = "from pg_stat_activity where wait_event = 'SyncRep'";

describeWithPostgres('a log in PostgreSQL, of which a server fails', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  const logs: CommitLog[] = [];
  const open = (shard: string, urls = [primary.url, standby.url]) => {
    const log = new PostgresLog({ urls, shard });
    logs.push(log);
    return log;
  };
  /** Settles once so many commits wait for the standby. */
  const waitsOf = async (count: number) => {
    while (Number(primary.ask(`select count(*) ${waiting}`)) < count) await pause(20);
  };

  beforeEach(async () => {
    primary = await PostgresServer.create();
    standby = await primary.follower();
  }, limitMs);

  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
    await primary.kill();
    await standby.kill();
  }, limitMs);

  /** What reads show once the standby is back, by the log itself and by that of another node. */
  async function shownWithStandby(log: CommitLog, shard: string, from: number) {
    let isShown = false;
    const reads = [log, open(shard)].map(async (each) => {
      const found = await each.read(from);
      isShown = true;
      return texts(found);
    });
    await waitsOf(2);
    expect(isShown).toBe(false);
    await standby.start();
    return Promise.all(reads);
  }

  it(
    'shows no row whose wait for the standby was cancelled before the standby has it',
    async () => {
      const log = open('cancelled');
      await log.append(0, bytes('before'));
      await standby.kill();
      const outcome = log.append(1, bytes('waits'));
      await waitsOf(1);
      primary.ask(`select pg_cancel_backend(pid) ${waiting}`);
      expect(await outcome).toEqual({ kind: 'unknown' });
      const read = log.read(1);
      await waitsOf(1);
      primary.ask(`select pg_cancel_backend(pid) ${waiting}`);
      await expect(read).rejects.toThrow('the wait for the standby was cancelled');
      expect(await shownWithStandby(log, 'cancelled', 1)).toEqual([['waits'], ['waits']]);
      expect(await log.append(2, bytes('after'))).toMatchObject({ kind: 'stored' });
      expect(texts(await log.read(1))).toEqual(['waits', 'after']);
    },
    limitMs,
  );

  it(
    'shows no row that a server has after its restart before the standby has it',
    async () => {
      const log = open('restarted');
      await log.append(0, bytes('before'));
      await standby.kill();
      const outcome = log.append(1, bytes('waits'));
      await waitsOf(1);
      await primary.kill();
      expect(await outcome).toEqual({ kind: 'unknown' });
      await primary.start();
      expect(await shownWithStandby(log, 'restarted', 1)).toEqual([['waits'], ['waits']]);
    },
    limitMs,
  );

  it(
    'is read and written whichever of its servers is named first',
    async () => {
      const log = open('order', [standby.url, primary.url]);
      for (let place = 0; place < 20; place += 1) {
        expect(await log.append(place, bytes(`${place}`))).toMatchObject({ kind: 'stored' });
        expect(texts(await log.read(place))).toEqual([`${place}`]);
      }
    },
    limitMs,
  );

  it(
    'is that of the server which was promoted last, though the old one takes writes again',
    async () => {
      await open('replaced').append(0, bytes('before'));
      await primary.kill();
      standby.promote();
      const log = open('replaced');
      expect(await log.append(1, bytes('after'))).toMatchObject({ kind: 'stored' });
      await primary.start();
      for (const urls of [
        [primary.url, standby.url],
        [standby.url, primary.url],
      ]) {
        expect(texts(await open('replaced', urls).read(0))).toEqual(['before', 'after']);
      }
    },
    limitMs,
  );
});
