/** A shared log that names the nodes of a cluster. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitLog } from '../../../src/cluster/commit-log.js';
import { encodeEntry } from '../../../src/cluster/entry.js';
import { systemClock } from '../../../src/engine/clock.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { type NodeStanding, nodesLogName } from '../../../src/server/cluster/follower-places.js';
import { SharedCommits } from '../../../src/server/cluster/shared-commits.js';
import { readingOptions } from '../../../src/server/lifecycle/reading-options.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { openStore } from '../../../storage/store.js';
import { leave } from '../leftovers.js';
import { MemoryLog } from './memory-log.js';

/** A shared log in which the owner, the first of them, has written down which nodes there are. */
export async function logOf(nodes: readonly NodeStanding[]): Promise<CommitLog> {
  const log = new MemoryLog().open();
  const life = '0000000000000001';
  await log.append(
    0,
    encodeEntry({ kind: 'claim', epoch: 1, life, after: 0, node: 'http://127.0.0.1:1' }),
  );
  const commits = new SharedCommits(systemClock);
  const submitted = new Promise<Buffer>((resolve) => {
    commits.open(async (body) => {
      resolve(body);
      return { sequence: 1 };
    });
  });
  const options = {
    ...readingOptions(systemClock, systemIdentifiers, () => false),
    readOnly: false,
  };
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-nodes-'));
  leave(folder);
  const own = await openStore(nodeDisk, folder, { ...options, commits });
  const written = own.createLog(nodesLogName).then((each) => {
    return each.append([{ key: null, value: Buffer.from(JSON.stringify(nodes)) }]).durable;
  });
  const body = await submitted;
  await written;
  await own.close();
  const part = { sequence: 1, previous: 0, part: 0, parts: 1, body };
  await log.append(1, encodeEntry({ kind: 'part', epoch: 1, life, after: 1, ...part }));
  return log;
}
