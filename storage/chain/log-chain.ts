/**
 * Keeps the chain of one log: every sealed segment gets an entry, in order and in the background,
 * and what a rewrite takes out stays provable (ADR 40).
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

/** Says of all records in front of `offset` what they are. */
export interface ChainHead {
  readonly offset: Offset;
  /** SHA-256, hex. */
  readonly digest: string;
}

/** Which logs have chains, and what is called when they grow. */
export interface ChainOptions {
  /** By the name of a log. */
  covers(logName: string): boolean;
  /** Reads and hashes; default: in this thread. */
  readonly work?: ChainWork;
  /** A segment was sealed and has its entry; and once for the head that a start finds. */
  onHead?(logName: string, head: ChainHead): void;
  /** A segment has no entry yet because of this; it is tried again when the next one is sealed. */
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

/** The log that a chain is of. */
export interface ChainedLog {
  readonly id: number;
  readonly name: string;
  readonly logTag: number;
  readonly segments: readonly Segment[];
}

/** The entry that the next one follows, and how many there are. */
interface ChainEnd {
  readonly link: Buffer;
  readonly offset: Offset;
  readonly count: number;
}

/** The chain of a log that is written; null where it has none. */
export function chainOf(
  store: ChainingStore & { readonly readOnly: boolean },
  log: ChainedLog,
): LogChain | null {
  return !store.readOnly && store.chains.covers(log.name) ? new LogChain(store, log) : null;
}

/**
 * One for each log, made with it. A head that `onHead` gets is on the disk by then. Entries are
 * written in turn, so that a rewrite can wait until what it replaces has them.
 */
export class LogChain {
  private end: ChainEnd | null = null;
  private isStopped = false;
  private extending: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ChainingStore,
    private readonly log: ChainedLog,
  ) {}

  /**
   * Settles when every segment that is sealed now has its entry. Rejects where one does not read
   * back, or where there is no room for its entry: it gets it the next time.
   */
  extend(): Promise<void> {
    const extended = this.extending.then(() => this.extendOnce());
    this.extending = extended.catch(() => undefined);
    return extended;
  }

  /** As `extend`; a failure is reported and tried again later. */
  extendLater(): void {
    if (this.isStopped) return;
    this.extend().catch((error: unknown) => {
      const { fence, chains } = this.store;
      if (fence.error === null && !this.isStopped) chains.onFault(this.log.name, error);
    });
  }

  /** Begins nothing any more; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.extending;
  }

  /**
   * The file that has to stand beside a segment, whose bytes lie at `path`, when it stands in the
   * place of `group`; null where nothing has gone. Rejects where it is not what was sealed, without
   * what went.
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
      const root = Buffer.from(found.root);
      const sealed = { baseOffset: from, nextOffset: until, recordCount, root };
      const entry = nextEntry(end.link, sealed);
      await this.write(entry, end.count, segment);
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

  /** Takes what is there; what a crash cut off, or a copy is without, gets its entry again. */
  private async load(): Promise<ChainEnd> {
    const { store, log } = this;
    const { disk, directory } = store;
    const path = directory.chain(log.id);
    const first = firstLink(store.storeId, log.id);
    const bytes = await readWhole(disk, path).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (bytes === null) return { link: first, offset: 0, count: 0 };
    const { entries, fault } = decodeChain(bytes, first);
    if (fault !== null) return this.beginAnew(path, first, bytes.length, fault);
    const sealedEnd = log.segments.findLast(({ isSealed }) => isSealed)?.nextOffset ?? 0;
    const kept = entries.filter(({ nextOffset }) => nextOffset <= sealedEnd);
    const last = kept.at(-1);
    return { link: last?.link ?? first, offset: last?.nextOffset ?? 0, count: kept.length };
  }

  /** Heads that were kept elsewhere cannot be compared with it any more: `onFault` says so. */
  private async beginAnew(
    path: string,
    first: Buffer,
    length: number,
    fault: string,
  ): Promise<ChainEnd> {
    const { disk, directory, epoch } = this.store;
    const range = { file: path, from: 0, to: length, lastGoodOffset: null };
    this.store.damaged(new DamagedData(range, `${fault}; the chain begins anew`));
    await disk.rename(path, directory.quarantined(epoch, `log-${this.log.id}-CHAIN`));
    await disk.syncDirectory(directory.quarantine);
    await disk.syncDirectory(directory.log(this.log.id));
    return { link: first, offset: 0, count: 0 };
  }

  private async write(entry: ChainEntry, index: number, { number }: Segment): Promise<void> {
    const { store, log } = this;
    const { disk, directory } = store;
    const path = directory.chain(log.id);
    try {
      // What an earlier chain said of records that went is not what this entry says.
      await disk.remove(directory.pruned(log.id, number)).catch(() => undefined);
      const isThere = await disk.sizeAt(path).then(
        () => true,
        () => false,
      );
      await withFile(disk, path, isThere ? 'write' : 'create', async (file) => {
        await disk.truncate(file, index * chainEntryLength);
        await writeFully(disk, file, encodeEntry(entry), index * chainEntryLength);
        await disk.sync(file);
      });
      if (!isThere) await disk.syncDirectory(directory.log(log.id));
    } catch (error) {
      // Without room for it the segment gets its entry later.
      if (store.fence.lacksRoom(error)) throw error;
      throw store.fence.fail(`chaining segment ${number} of log ${log.id}`, error);
    }
  }
}
