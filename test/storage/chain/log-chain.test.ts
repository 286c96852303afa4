import { backupFolder } from '../../../storage/backup/backup-folder.js';
import type { ChainHead } from '../../../storage/chain/log-chain.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { StoreOptions } from '../../../storage/store.js';
import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { forgeStore } from '../forged-store.js';
import { rounds } from '../rounds.js';
import { directory, openSimulated, readOnly, settle } from '../simulated-store.js';

const always = Number.POSITIVE_INFINITY;
const settled = async () => undefined;
const chainPath = '/data/logs/0000000000/CHAIN';

/** A store whose logs have chains, and every head that it has reported. */
async function openChained(disk: SimulatedDisk, options: Partial<StoreOptions> = {}) {
  const heads: ChainHead[] = [];
  const faults: unknown[] = [];
  const chain = {
    covers: () => true,
    onHead: (_log: string, head: ChainHead) => heads.push(head),
    onFault: (_log: string, error: unknown) => faults.push(error),
  };
  const open = await openSimulated(disk, { segmentBytes: 900, chain, ...options });
  const log = await open.store.createLog('events');
  return { ...open, log, heads, faults };
}

async function append(log: PartitionLog, count: number, what = ''): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    const value = Buffer.from(`${log.endOffset} ${what}`.padEnd(40));
    await log.append([{ key: null, value, terms: [`term-${log.endOffset % 3}`] }]).durable;
  }
}

/** The chain as readers of the folder find it. */
async function verified(disk: SimulatedDisk) {
  const { logs, damages } = await verifyStore(disk, directory, readOnly);
  const chain = logs.find(({ name }) => name === 'events')?.chain;
  return { chain, heads: chain?.heads ?? [], damages: damages.map(({ message }) => message) };
}

async function chainedUpTo(heads: readonly ChainHead[], offset: number): Promise<void> {
  while ((heads.at(-1)?.offset ?? 0) < offset) await settle();
}

describe('the chain of a log', () => {
  it('has a head for each sealed segment, which readers find, too', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { log, heads, store } = await openChained(disk);
    await append(log, 40);
    await log.roll();
    await chainedUpTo(heads, 40);
    expect(heads.map(({ offset }) => offset)).toEqual(
      log.segments.map(({ nextOffset }) => nextOffset),
    );
    expect(heads.length).toBeGreaterThan(3);
    expect(await verified(disk)).toMatchObject({ heads, damages: [] });
    await store.close();
    const again = await openChained(disk.restart());
    await chainedUpTo(again.heads, 40);
    expect(again.heads).toEqual(heads.slice(-1));
    await append(again.log, 20);
    await again.log.roll();
    await chainedUpTo(again.heads, 60);
    expect(again.heads.length).toBeGreaterThan(2);
  });

  it('is made for segments that were sealed without one, and is the same then', async () => {
    const chained = new SimulatedDisk(new SeededRandom(1));
    const plain = new SimulatedDisk(new SeededRandom(1));
    const { log, heads, store } = await openChained(chained);
    const without = await openSimulated(plain, { segmentBytes: 900 });
    const other = await without.store.createLog('events');
    for (const each of [log, other]) {
      await append(each, 40);
      await each.roll();
    }
    await chainedUpTo(heads, 40);
    await store.close();
    await without.store.close();
    expect(await verified(plain)).toMatchObject({ chain: null, damages: [] });
    const upgraded = await openChained(plain);
    await chainedUpTo(upgraded.heads, 40);
    expect(upgraded.heads).toEqual(heads);
  });

  it('stays valid, head by head, whatever is swept and merged and however it stops', async () => {
    for (let seed = 1; seed <= Math.ceil(5 * rounds); seed += 1) {
      const random = new SeededRandom(seed);
      let disk = new SimulatedDisk(new SeededRandom(seed));
      disk.interleaves = seed % 2 === 0;
      let open = await openChained(disk, { segmentBytes: 500 + random.below(1000) });
      const published: ChainHead[] = [];
      for (let step = 0; step < 12; step += 1) {
        const { log, store, heads, faults } = open;
        await append(log, random.below(25));
        if (random.below(2) === 0 && log.endOffset > 0) await log.roll();
        const rest = random.below(5);
        const keeps = ({ offset }: { readonly offset: number }) => offset % 5 === rest;
        const until = random.below(log.endOffset + 2);
        if (random.below(2) === 0) await log.sweep({ until, keeps, settled });
        if (random.below(3) === 0) await log.keepUp();
        await chainedUpTo(
          heads,
          log.segments.findLast(({ isSealed }) => isSealed)?.nextOffset ?? 0,
        );
        published.push(...heads);
        const found = await verified(disk);
        expect(found.damages).toEqual([]);
        for (const head of published) expect(found.heads).toContainEqual(head);
        expect(faults).toEqual([]);
        if (random.below(4) > 0) continue;
        const isClean = random.below(2) === 0;
        if (isClean) await store.close();
        disk = isClean ? disk.restart() : disk.crash('everything', seed);
        open = await openChained(disk);
      }
      expect(published.length).toBeGreaterThan(3);
    }
  }, 120_000);

  it('stays valid wherever a crash ends a sweep', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { log, heads } = await openChained(disk);
    await append(log, 60);
    await log.roll();
    await chainedUpTo(heads, 60);
    const images: SimulatedDisk[] = [];
    disk.afterChange = () => images.push(disk.copy());
    await log.sweep({ until: always, keeps: ({ offset }) => offset % 7 === 0, settled });
    disk.afterChange = null;
    expect(images.length).toBeGreaterThan(40);
    for (const [at, image] of images.entries()) {
      const crashed = image.crash(crashPolicies[at % crashPolicies.length] ?? 'nothing', at);
      const again = await openChained(crashed);
      await settle();
      await again.store.close();
      expect(await verified(crashed)).toMatchObject({ heads, damages: [] });
    }
  }, 120_000);

  it('gets the entries that a crash has prevented', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const images: SimulatedDisk[] = [];
    const { log, heads } = await openChained(disk);
    disk.afterChange = () => images.push(disk.copy());
    await append(log, 40);
    await log.roll();
    await chainedUpTo(heads, 40);
    disk.afterChange = null;
    for (const [at, image] of images.entries()) {
      if (at % 4 > 0) continue;
      const crashed = image.crash(crashPolicies[at % crashPolicies.length] ?? 'nothing', at);
      const reported: string[] = [];
      const onDamage = ({ message }: Error) => reported.push(message);
      const again = await openChained(crashed, { onDamage });
      await again.log.roll();
      await again.store.close();
      const { damages, heads: found } = await verified(crashed);
      expect([...damages, ...reported]).toEqual([]);
      // Heads reported before the crash are still valid after it.
      for (const head of again.heads) expect(found).toContainEqual(head);
    }
  }, 120_000);

  it('gets a first entry that a crash has prevented, wherever the log begins', async () => {
    const old = new SimulatedDisk(new SeededRandom(3));
    const without = await openSimulated(old, { segmentBytes: 900 });
    const trimmed = await without.store.createLog('events');
    await append(trimmed, 20);
    await trimmed.trimTo(10);
    await without.store.close();
    const disk = old.restart();
    const images: SimulatedDisk[] = [];
    disk.afterChange = () => images.push(disk.copy());
    const { log, heads } = await openChained(disk);
    await chainedUpTo(heads, 15);
    disk.afterChange = null;
    expect(log.startOffset).toBeGreaterThan(0);
    const damages: string[] = [];
    for (const [at, image] of images.entries()) {
      for (const policy of crashPolicies) {
        const onDamage = ({ message }: Error) => damages.push(message);
        const again = await openChained(image.crash(policy, at), { onDamage });
        await chainedUpTo(again.heads, 15);
        await again.store.close();
      }
    }
    expect(damages).toEqual([]);
  }, 120_000);

  it('is copied with the folder', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { log, heads } = await openChained(disk);
    await append(log, 40);
    await log.roll();
    await log.sweep({ until: always, keeps: ({ offset }) => offset % 7 === 0, settled });
    await append(log, 1);
    await chainedUpTo(heads, 40);
    await backupFolder(disk, directory, '/copy', readOnly);
    const { logs, damages } = await verifyStore(disk, '/copy', readOnly);
    expect(damages).toEqual([]);
    expect(logs[0]?.chain?.heads).toEqual(heads);
  });

  it('is reported, kept aside and begun again if it is damaged', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { log, heads, store } = await openChained(disk);
    await append(log, 40);
    await log.roll();
    await chainedUpTo(heads, 40);
    await store.close();
    disk.damage(chainPath, (bytes) => {
      bytes[40] = (bytes[40] ?? 0) ^ 1;
      return bytes;
    });
    expect((await verified(disk)).damages).toEqual([expect.stringMatching(/CHAIN.*entry 0/)]);
    const damages: string[] = [];
    const again = await openChained(disk, { onDamage: ({ message }) => damages.push(message) });
    await chainedUpTo(again.heads, 40);
    expect(damages).toEqual([expect.stringMatching(/CHAIN.*begins anew/)]);
    expect(again.heads).toEqual(heads);
    expect([...disk.files().keys()]).toContainEqual(expect.stringMatching(/quarantine.*CHAIN/));
  });

  /** Flips one bit of the last entry, and starts the store again. */
  async function withoutLastEntry(disk: SimulatedDisk, heads: readonly ChainHead[]) {
    disk.damage(chainPath, (bytes) => {
      const at = bytes.length - 60;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    });
    const damages: string[] = [];
    const again = await openChained(disk, { onDamage: ({ message }) => damages.push(message) });
    await append(again.log, 1);
    await again.log.roll();
    await chainedUpTo(again.heads, (heads.at(-1)?.offset ?? 0) + 1);
    return { again, damages };
  }

  it('gets its last entry back if that is damaged', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { log, heads, store } = await openChained(disk);
    await append(log, 40);
    await log.roll();
    await chainedUpTo(heads, 40);
    await log.keepUp();
    await store.close();
    const { damages } = await withoutLastEntry(disk, heads);
    expect(damages).toEqual([]);
    const found = await verified(disk);
    expect(found.damages).toEqual([]);
    expect(found.heads.slice(0, heads.length)).toEqual(heads);
  });

  it('begins anew if it lacks its last entry and a sweep removed records', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { log, heads, store } = await openChained(disk);
    await append(log, 40);
    await log.roll();
    await chainedUpTo(heads, 40);
    await log.sweep({ until: always, keeps: ({ offset }) => offset % 3 === 0, settled });
    await store.close();
    disk.damage(chainPath, (bytes) => bytes.subarray(0, bytes.length - 96));
    const damages: string[] = [];
    const again = await openChained(disk, { onDamage: ({ message }) => damages.push(message) });
    await chainedUpTo(again.heads, 40);
    expect(damages).toEqual([expect.stringMatching(/CHAIN.*begins anew/)]);
    expect(await verified(disk)).toMatchObject({ damages: [] });
  });

  it.each([
    ['some of its records', ({ offset }: { readonly offset: number }) => offset % 3 === 0],
    ['all of its records', ({ offset }: { readonly offset: number }) => offset < 30],
  ])('begins anew if its last entry is damaged and a sweep removed %s', async (_, keeps) => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { log, heads, store } = await openChained(disk);
    await append(log, 40);
    await log.roll();
    await chainedUpTo(heads, 40);
    await log.sweep({ until: always, keeps, settled });
    await store.close();
    const { again, damages } = await withoutLastEntry(disk, heads);
    expect(damages).toEqual([expect.stringMatching(/CHAIN.*begins anew/)]);
    expect(await verified(disk)).toMatchObject({ damages: [] });
    await again.log.sweep({ until: always, keeps: ({ offset }) => offset % 9 === 0, settled });
    expect(await verified(disk)).toMatchObject({ damages: [] });
    expect(again.faults).toEqual([]);
  });
});

describe('a forger who has the source', () => {
  async function filled(isSwept = false) {
    const disk = new SimulatedDisk(new SeededRandom(5));
    const { log, heads, store } = await openChained(disk);
    await append(log, 40);
    await log.roll();
    await chainedUpTo(heads, 40);
    if (isSwept) await log.sweep({ until: 25, keeps: ({ offset }) => offset % 4 === 0, settled });
    await append(log, 3);
    await store.close();
    const before = new Map(heads.map(({ offset, digest }) => [offset, digest]));
    return { disk, before, heads };
  }

  const change = (body: Buffer) => {
    const at = body.indexOf('12 ');
    if (at > 0) body.write('21 ', at);
  };

  it.each([false, true])('cannot rewrite a record: swept %s', async (isSwept) => {
    const { disk, before } = await filled(isSwept);
    await forgeStore(disk, directory, 'events', { change });
    const { heads, damages } = await verified(disk);
    // Everything looks as if it had always been so, except for heads that were kept elsewhere.
    expect(damages).toEqual([]);
    expect(heads.map(({ offset }) => offset)).toEqual([...before.keys()]);
    for (const { offset, digest } of heads)
      expect(digest === before.get(offset)).toBe(offset <= 12);
    const { store } = await openSimulated(disk);
    const [batch] = (await store.log('events')?.read(12, { maxRecords: 1 })) ?? [];
    expect(batch?.record(12)?.value?.toString().trim()).toBe('21');
  });

  it('cannot leave out the last records', async () => {
    const { disk, heads: before } = await filled();
    const keepUntil = before[2]?.offset ?? 0;
    await forgeStore(disk, directory, 'events', { keepUntil });
    const { heads, damages } = await verified(disk);
    expect(damages).toEqual([]);
    expect(heads).toEqual(before.slice(0, 3));
  });

  it('cannot put other records after the first ones', async () => {
    const { disk, heads: before } = await filled();
    await forgeStore(disk, directory, 'events', { keepUntil: before[2]?.offset ?? 0 });
    const { log, store } = await openChained(disk);
    await append(log, 60, 'forged');
    await log.roll();
    await settle();
    await store.close();
    const { heads, damages } = await verified(disk);
    expect(damages).toEqual([]);
    expect(heads.slice(0, 3)).toEqual(before.slice(0, 3));
    for (const head of before.slice(3)) expect(heads).not.toContainEqual(head);
  });

  it('is found without any external head if the chain was left as it was', async () => {
    const { disk } = await filled(true);
    const chain = new Map(disk.files()).get(chainPath) ?? Buffer.alloc(0);
    await forgeStore(disk, directory, 'events', { change });
    disk.damage(chainPath, () => Buffer.from(chain));
    expect((await verified(disk)).damages).toEqual([
      expect.stringContaining('are not those that were sealed'),
    ]);
  });
});

it('a rewrite of records that were not sealed is refused, and the log stays as it is', async () => {
  const disk = new SimulatedDisk(new SeededRandom(5));
  const { log, heads, store } = await openChained(disk);
  await append(log, 40);
  await log.roll();
  await chainedUpTo(heads, 40);
  await store.close();
  const chain = new Map(disk.files()).get(chainPath) ?? Buffer.alloc(0);
  await forgeStore(disk, directory, 'events', {
    change: (body) => body.writeUInt8(0x20, body.length - 1),
  });
  disk.damage(chainPath, () => Buffer.from(chain));
  const again = await openChained(disk);
  const sweep = again.log.sweep({ until: 40, keeps: ({ offset }) => offset % 4 === 0, settled });
  await expect(sweep).rejects.toThrow('is not what it was');
  expect(again.failures).toEqual([]);
  expect(again.log.segments.reduce((sum, { isSealed }) => sum + (isSealed ? 1 : 0), 0)).toBe(
    heads.length,
  );
  expect(await disk.list('/data/tmp')).toEqual([]);
});
