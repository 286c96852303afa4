import { join } from 'node:path';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { DiskFull } from '../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import { openStore, type Store } from '../../storage/store.js';
import { itOnASmallFileSystem, takeAll } from '../support/program/small-file-system.js';
import { realOptions } from './real-options.js';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const failures: unknown[] = [];

function open(path: string): Promise<Store> {
  const options = realOptions({
    segmentBytes: 256 * kilobyte,
    reserveBytes: 512 * kilobyte,
    freeBytesMin: megabyte,
    onFailure: (error) => failures.push(error),
  });
  return openStore(nodeDisk, join(path, 'data'), options);
}

async function texts(log: PartitionLog | undefined): Promise<string[]> {
  const found: string[] = [];
  for (let at = log?.startOffset ?? 0; at < (log?.highWatermark ?? 0); ) {
    for (const batch of (await log?.read(at)) ?? []) {
      found.push(...batch.records().map(({ value }) => String(value).trimEnd()));
      at = batch.nextOffset;
    }
  }
  return found;
}

const record = (text: string, length: number) => ({
  key: null,
  value: Buffer.from(text.padEnd(length)),
});

describe('a file system of this machine', () => {
  itOnASmallFileSystem(
    'is filled and freed ten times: nothing is lost, and nothing ends',
    8,
    async (path) => {
      let store = await open(path);
      await store.createLog('journal', { preparesNextSegment: true });
      await store.createLog('orders');
      const stored: Record<string, string[]> = { journal: [], orders: [] };
      let refused = 0;
      const append = async (name: string, text: string, length: number): Promise<boolean> => {
        try {
          await store.log(name)?.append([record(text, length)]).durable;
          stored[name]?.push(text);
          return true;
        } catch (error) {
          if (!(error instanceof DiskFull)) throw error;
          refused += 1;
          return false;
        }
      };
      for (let cycle = 0; cycle < 10; cycle += 1) {
        for (let index = 0; index < 60; index += 1) {
          expect(await append('orders', `${cycle} ${index}`, 9000)).toBe(true);
        }
        const giveBack = await takeAll(path);
        refused = 0;
        for (let index = 0; refused < 3; index += 1) {
          await append('orders', `${cycle} ${index} on a full disk`, 9000);
          expect(await append('journal', `${cycle} ${index}`, 100)).toBe(true);
        }
        expect(store.freeSpace.hasRoom).toBe(false);
        expect(await texts(store.log('orders'))).toEqual(stored['orders']);
        if (cycle % 3 === 2) {
          const log = store.log('orders') as PartitionLog;
          const bytes = log.byteLength;
          await log.trimTo(log.highWatermark);
          expect(log.byteLength).toBeLessThan(bytes);
          const left = await texts(log);
          expect(stored['orders']?.slice(-left.length)).toEqual(left);
          stored['orders'] = left;
        }
        await giveBack();
        while (!store.freeSpace.hasRoom) await new Promise((next) => setTimeout(next, 5));
        if (cycle % 4 !== 3) continue;
        await store.close();
        store = await open(path);
        for (const name of ['journal', 'orders']) {
          expect(await texts(store.log(name))).toEqual(stored[name]);
        }
      }
      await store.close();
      expect(failures).toEqual([]);
    },
    60_000,
  );
});
