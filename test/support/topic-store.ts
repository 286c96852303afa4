/** A store with the logs of a topic in it, in a folder of the test's own. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/engine/clock.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import { openStore, type Store } from '../../storage/store.js';
import { leave } from './leftovers.js';

/** A folder for one store after the other. */
export async function storeFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'stepwell-topics-'));
  leave(parent);
  return join(parent, 'data');
}

/** Opens a store with segments of 4 KiB, whose time is what `now` says. */
export function openTopicStore(directory: string, now: () => number): Promise<Store> {
  return openStore(nodeDisk, directory, {
    now,
    after: (delayMs, callback) => systemClock.after(delayMs, callback),
    randomBytes: (length) => systemIdentifiers.randomBytes(length),
    fsync: 'strict',
    reserveBytes: 0,
    segmentBytes: 4096,
    onFailure: (error) => {
      throw error;
    },
  });
}

/** The logs of a topic `t`, created if need be. */
export async function topicLogs(store: Store, count: number): Promise<PartitionLog[]> {
  const logs: PartitionLog[] = [];
  for (let partition = 0; partition < count; partition += 1) {
    logs.push(await store.createLog(`topic/t/${partition}`));
  }
  return logs;
}
