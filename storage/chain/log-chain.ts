/**
 * Keeps the chain of one log: every sealed segment gets an entry, in order and in the background,
 * and records that a rewrite removes stay provable (ADR 40).
 */
import type { StoreFiles } from '../disk/store-files.js';
import { readWhole, withFile, writeFully } from '../disk/whole-file.js';
import type { Fence } from '../faults/fence.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';
import {
  type ChainEntry,
  chainEntryLength,
  decodeChain,
  encodeEntry,
  firstLink,
  nextEntry,
} from './chain-file.js';
import type { ChainWork, SegmentPart } from './chain-work.js';

/** Identifies the content of all records before `offset`. */
export interface ChainHead {
  readonly offset: Offset;
  /** SHA-256, hex. */
  readonly digest: string;
}

/** Which logs have chains, and what to call when a chain grows. */
export interface ChainOptions {
  /** Whether the log with this name has a chain. */
  covers(logName: string): boolean;
  /** Reads and hashes; default: in this thread. */
  readonly work?: ChainWork;
  /** Called when a sealed segment has its entry, and once for the head found at a start. */
  onHead?(logName: string, head: ChainHead): void;
  /** Called when a segment could not get its entry; tried again when the next segment is sealed. */
  onFault?(logName: string, error: unknown): void;
}

/** The store whose logs have chains. */
export interface ChainingStore extends StoreFiles {
  readonly storeId: Buffer;
  readonly epoch: number;
  readonly fence: Fence;
  readonly chains: Required<ChainOptions>;
  damaged(damage: DamagedData): void;
}

/** The log of a chain. */
export interface ChainedLog {
  readonly id: number;
  readonly name: string;
  readonly logTag: number;
  readonly segments: readonly Segment[];
}

/** The last entry, and the number of entries. */
interface ChainEnd {
  readonly link: Buffer;
  readonly offset: Offset;
  readonly count: number;
}

/** Why a chain cannot be continued behind so many entries. */
function lost(count: number): string {
  return `entry ${count} is not intact, and records were removed since`;
}

/** The chain of a log, to be written; null if it has none. */
export function chainOf(
  store: ChainingStore & { readonly readOnly: boolean },
  log: ChainedLog,
): LogChain | null {
  return !store.readOnly && store.chains.covers(log.name) ? new LogChain(store, log) : null;
}

/**
 * One per log, created with it. A head passed to `onHead` is on disk by then. Entries are written
 * one after another, so that a rewrite can wait until the segments it replaces have theirs.
 */
export class LogChain {
  private end: ChainEnd | null = null;
  /** Whether there are bytes behind the last intact entry that may be those of a damaged one. */
  private hasRest = false;
  private isStopped = false;
  private extending: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ChainingStore,
    private readonly log: ChainedLog,
  ) {}

  /**
   * Settles when every segment that is sealed now has its entry. Rejects if a segment does not read
   * back, or if there is no room for its entry: it gets the entry next time.
   */
  extend(): Promise<void> {
    const extended = this.extending.then(() => this.extendOnce());
    this.extending = extended.catch(() => undefined);
    return extended;
  }

  /** Like `extend`; a failure is reported and tried again later. */
  extendLater(): void {
    if (this.isStopped) return;
    this.extend().catch((error: unknown) => {
      const { fence, chains } = this.store;
      if (fence.error === null && !this.isStopped) chains.onFault(this.log.name, error);
    });
  }

  /** Starts nothing more; settles when nothing is running. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.extending;
  }

  /**
   * The content of the pruned file for a segment, whose bytes are at `path`, that replaces `group`;
   * null if no record was removed. Rejects if the segment is not what was sealed, minus the removed
   * records.
   */
  prunedFile(group: readonly Segment[], path: string, end: number): Promise<Uint8Array | null> {
    const { store, log } = this;
    const { directory, chains } = store;
    return chains.work.pruned({
      logTag: log.logTag,
      chainPath: directory.chain(log.id),
      first: firstLink(store.storeId, log.id),
      group: group.map((segment) => this.partOf(segment)),
      by: { path, end, prunedPath: null },
      from: group[0]?.baseOffset ?? 0,
      until: group.at(-1)?.nextOffset ?? 0,
    });
  }

  private async extendOnce(): Promise<void> {
    const { store, log } = this;
    let end = this.end ?? (await this.load());
    if (this.end === null && end.count > 0) this.tell(end);
    this.end = end;
    for (const segment of log.segments.filter(({ isSealed }) => isSealed)) {
      if (segment.nextOffset <= end.offset || this.isStopped) continue;
      if (store.fence.error !== null) throw store.fence.error;
      const from = Math.max(end.offset, segment.baseOffset);
      const until = segment.nextOffset;
      const part = { ...this.partOf(segment), prunedPath: null };
      const { logTag } = log;
      const found = await store.chains.work.root({ logTag, segment: part, from, until });
      const { recordCount } = found;
      // Records are removed only after their entry is on disk: it was damaged, then, not cut off by
      // a crash. The entry of the records that are left would be another one.
      if (this.hasRest && (recordCount === 0 || segment.baseOffset > end.offset)) {
        this.end = await this.beginAnew(lost(end.count));
        return this.extendOnce();
      }
      const root = Buffer.from(found.root);
      const sealed = { baseOffset: from, nextOffset: until, recordCount, root };
      const entry = nextEntry(end.link, sealed);
      await this.write(entry, end.count, segment);
      this.hasRest = false;
      end = { link: entry.link, offset: until, count: end.count + 1 };
      this.end = end;
      this.tell(end);
    }
  }

  private tell({ offset, link }: ChainEnd): void {
    this.store.chains.onHead(this.log.name, { offset, digest: link.toString('hex') });
  }

  private partOf({ number, end }: Segment): SegmentPart {
    const { directory } = this.store;
    const { id } = this.log;
    return { path: directory.segment(id, number), end, prunedPath: directory.pruned(id, number) };
  }

  /** Loads the intact entries; those that a crash cut off, or a copy lacks, are written again. */
  private async load(): Promise<ChainEnd> {
    const { store, log } = this;
    const { disk, directory } = store;
    const first = firstLink(store.storeId, log.id);
    const bytes = await readWhole(disk, directory.chain(log.id)).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (bytes === null) return { link: first, offset: 0, count: 0 };
    const { entries, fault } = decodeChain(bytes, first);
    // A crash may leave zeros.
    this.hasRest = bytes.subarray(entries.length * chainEntryLength).some((byte) => byte !== 0);
    const sealed = log.segments.filter(({ isSealed }) => isSealed);
    const sealedEnd = sealed.at(-1)?.nextOffset ?? 0;
    const kept = entries.filter(({ nextOffset }) => nextOffset <= sealedEnd);
    const { link, nextOffset: offset } = kept.at(-1) ?? { link: first, nextOffset: 0 };
    const behind = sealed.filter(({ nextOffset }) => nextOffset > offset);
    const why = fault ?? ((await this.havePruned(behind)) ? lost(kept.length) : null);
    return why === null ? { link, offset, count: kept.length } : this.beginAnew(why);
  }

  /** Whether records of these segments were removed, and digests are left of them. */
  private async havePruned(segments: readonly Segment[]): Promise<boolean> {
    const { disk, directory } = this.store;
    for (const { number } of segments) {
      const pruned = disk.sizeAt(directory.pruned(this.log.id, number));
      const isThere = await pruned.then(
        () => true,
        (error: unknown) => {
          if (errorCode(error) === 'ENOENT') return false;
          throw error;
        },
      );
      if (isThere) return true;
    }
    return false;
  }

  /** Starts the chain over: heads kept elsewhere no longer match it, which `damaged` reports. */
  private async beginAnew(fault: string): Promise<ChainEnd> {
    const { storeId, disk, directory, epoch } = this.store;
    const { id } = this.log;
    const path = directory.chain(id);
    const range = { file: path, from: 0, to: await disk.sizeAt(path), lastGoodOffset: null };
    this.store.damaged(new DamagedData(range, `${fault}; the chain begins anew`));
    await disk.rename(path, directory.quarantined(epoch, `log-${id}-CHAIN`));
    await disk.syncDirectory(directory.quarantine);
    await disk.syncDirectory(directory.log(id));
    this.hasRest = false;
    return { link: firstLink(storeId, id), offset: 0, count: 0 };
  }

  private async write(entry: ChainEntry, index: number, { number }: Segment): Promise<void> {
    const { store, log } = this;
    const { disk, directory } = store;
    const path = directory.chain(log.id);
    try {
      // Digests of removed records that belong to an earlier chain do not fit this entry.
      await disk.remove(directory.pruned(log.id, number)).catch(() => undefined);
      const exists = await disk.sizeAt(path).then(
        () => true,
        () => false,
      );
      await withFile(disk, path, exists ? 'write' : 'create', async (file) => {
        await disk.truncate(file, index * chainEntryLength);
        await writeFully(disk, file, encodeEntry(entry), index * chainEntryLength);
        await disk.sync(file);
      });
      if (!exists) await disk.syncDirectory(directory.log(log.id));
    } catch (error) {
      // If there is no room, the segment gets its entry later.
      if (store.fence.lacksRoom(error)) throw error;
      throw store.fence.fail(`chaining segment ${number} of log ${log.id}`, error);
    }
  }
}
