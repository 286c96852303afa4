/** The head of a log's chain, in a folder that may be in use. */
import { decodeChain, firstLink } from '../chain/chain-file.js';
import type { ChainHead } from '../chain/log-chain.js';
import type { Disk } from '../disk/disk.js';
import { StoreDirectory } from '../disk/store-directory.js';
import { readWhole } from '../disk/whole-file.js';
import { DamagedData, diskError, errorCode } from '../faults/storage-errors.js';
import { loadManifest } from '../manifest/manifest-file.js';

/**
 * Null if nothing of the log is sealed, or has its entry yet. The head is not compared with the
 * records: `verifyStore` does that. Rejects with `DamagedData` or `DiskFailure`.
 */
export async function readChainHead(
  disk: Disk,
  path: string,
  logName: string,
): Promise<ChainHead | null> {
  const directory = new StoreDirectory(path);
  try {
    const loaded = await loadManifest(disk, directory);
    const log = loaded?.state.logs.find(({ name }) => name === logName);
    if (loaded === null || log === undefined) return null;
    const file = directory.chain(log.id);
    const bytes = await readWhole(disk, file);
    const { entries, fault } = decodeChain(bytes, firstLink(loaded.storeId, log.id));
    const range = { file, from: 0, to: bytes.length, lastGoodOffset: null };
    if (fault !== null) throw new DamagedData(range, fault);
    const last = entries.at(-1);
    return last === undefined
      ? null
      : { offset: last.nextOffset, digest: last.link.toString('hex') };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw diskError(`reading the chain of ${logName}`, error);
  }
}
