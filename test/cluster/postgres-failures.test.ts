import { connect, createServer } from 'node:net';
import type { CommitLog, ReadEntries } from '../../src/cluster/commit-log.js';
import { PostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { listeningPort } from '../../src/http/listening-port.js';
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
  /** Resolves once `count` commits wait for the standby. */
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

  /** Like a node, gives up an append after a second and sends it again. */
  async function tried(log: CommitLog, place: number, text: string) {
    const late = pause(1000).then(() => 'late' as const);
    const outcome = await Promise.race([log.append(place, bytes(text)), late]);
    await pause(100);
    return outcome === 'late' ? outcome : outcome.kind;
  }

  /**
   * What reads show once the standby is back, through this log and through that of another node.
   */
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
    'shows no row whose wait for the standby was cancelled until the standby has it',
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
    'shows no row that a server has after its restart until the standby has it',
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
    'can be read and written whichever of its servers is named first',
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
    'continues with the promoted server while the former primary is silent',
    async () => {
      const log = open('silent');
      await log.append(0, bytes('before'));
      expect(texts(await log.read(0))).toEqual(['before']);
      primary.signal('STOP');
      standby.promote();
      const read = log.read(0).catch((error: Error) => error.message);
      const outcomes: string[] = [];
      // An append with an unknown outcome may have been stored late: then the next one is refused.
      const known = ['stored', 'refused'];
      while (!known.includes(outcomes.at(-1) ?? '') && outcomes.length < 20) {
        outcomes.push(await tried(log, 1, 'after'));
      }
      expect(known).toContain(outcomes.at(-1));
      expect(await read).toBe('the server of PostgreSQL is silent');
      expect(texts(await log.read(0))).toEqual(['before', 'after']);
    },
    limitMs,
  );

  it(
    'gives up a read that a silent server leaves open, even if it answered another one',
    async () => {
      const relay = createServer((near) => {
        const far = connect(primary.port, '127.0.0.1');
        let isSilent = false;
        near.on('data', (chunk) => {
          // The rows are requested last, after everything else is answered.
          isSilent ||= chunk.includes('copy (select');
          far.write(chunk);
        });
        far.on('data', (chunk) => {
          if (!isSilent) near.write(chunk);
        });
        near.on('close', () => far.destroy());
        for (const side of [near, far]) side.on('error', () => undefined);
      });
      await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
      const url = new URL(primary.url);
      url.port = `${listeningPort(relay)}`;
      const log = open('half-silent', [url.href]);
      const read = log.read(0).catch((error: Error) => error.message);
      expect(await log.end()).toBe(0);
      expect(await read).toBe('the server of PostgreSQL is silent');
      relay.close();
    },
    limitMs,
  );

  it(
    'does not use one more connection for each append that is given up',
    async () => {
      const log = open('given-up');
      await log.append(0, bytes('before'));
      await standby.kill();
      for (let tries = 0; tries < 8; tries += 1) await tried(log, 1, 'waits');
      const clients = primary.ask(
        "select count(*) from pg_stat_activity where backend_type = 'client backend'",
      );
      // The first append's connection waits for the standby; the others are those of the last
      // append and of this query.
      expect(Number(clients)).toBeLessThanOrEqual(4);
      await standby.start();
      expect(texts(await log.read(1))).toEqual(['waits']);
    },
    limitMs,
  );

  it(
    'is trimmed while the standby is down',
    async () => {
      const log = open('trimmed');
      for (const place of [0, 1, 2]) await log.append(place, bytes(`${place}`));
      expect(texts(await log.read(0))).toEqual(['0', '1', '2']);
      await standby.kill();
      await log.trim(2);
      expect(await log.read(0)).toMatchObject({ start: 2, end: 3 });
    },
    limitMs,
  );

  it(
    'is read and written while much of it is removed',
    async () => {
      const log = open('removed');
      for (const place of [0, 1, 2]) await log.append(place, bytes(`${place}`));
      expect(texts(await log.read(0))).toEqual(['0', '1', '2']);
      primary.ask(
        `create function slow() returns trigger language plpgsql
          as 'begin perform pg_sleep(4); return old; end'`,
      );
      primary.ask(
        `create trigger slow before delete on stepwell_log
          for each row execute function slow()`,
      );
      let isTrimmed = false;
      const trimmed = log.trim(2).then(() => {
        isTrimmed = true;
      });
      const deleting = "from pg_stat_activity where wait_event = 'PgSleep'";
      while (primary.ask(`select count(*) ${deleting}`) === '0') await pause(20);
      expect(texts(await log.read(0))).toEqual(['0', '1', '2']);
      expect(await log.append(3, bytes('3'))).toMatchObject({ kind: 'stored' });
      expect(isTrimmed).toBe(false);
      await trimmed;
      expect(await log.read(0)).toMatchObject({ start: 2, end: 4 });
    },
    limitMs,
  );

  it(
    'is read where it is written, once a standby was promoted whose primary lives on',
    async () => {
      const [log, other] = [open('beside'), open('beside')];
      await log.append(0, bytes('before'));
      for (const each of [log, other]) expect(texts(await each.read(0))).toEqual(['before']);
      standby.promote();
      // One that was late may have been stored: then the next one is refused.
      const ends = ['stored', 'refused'];
      while (!ends.includes(await tried(log, 1, 'after'))) await pause(20);
      // It hears nothing at the old server, and claims the log.
      expect(await tried(other, 1, 'claim')).toBe('refused');
      for (const each of [log, other]) {
        // One that went to the old server before may end now.
        await each.read(0).catch(() => null);
        expect(texts(await each.read(0))).toEqual(['before', 'after']);
      }
    },
    limitMs,
  );

  it(
    'gives a read up that waits for a standby which was promoted',
    async () => {
      await open('cut-off').append(0, bytes('before'));
      standby.ask("alter system set primary_conninfo = ''");
      standby.ask('select pg_reload_conf()');
      while (primary.ask('select count(*) from pg_stat_replication') !== '0') await pause(20);
      const log = open('cut-off');
      const read = log.read(0).catch((error: Error) => error.message);
      await waitsOf(1);
      standby.promote();
      expect(await read).toContain('another one was promoted after it');
      expect(texts(await log.read(0))).toEqual(['before']);
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
