/** The promises of a store so far, in plain arrays, and the check that they are kept. */
import { DiskFull } from '../../storage/faults/storage-errors.js';
import type { RecordInput } from '../../storage/format/record.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import type { Store } from '../../storage/store.js';

interface Submitted {
  readonly baseOffset: number;
  readonly records: readonly RecordInput[];
  readonly appendedAt: number;
  acknowledged: boolean;
  /** The append was refused: nothing of it is there. */
  refused: boolean;
}

interface ModelLog {
  readonly name: string;
  /** Appends in order, including those that were never answered. */
  readonly appends: Submitted[];
  created: boolean;
  dropping: boolean;
  dropped: boolean;
  /** Requested and done. */
  trimRequested: number;
  startOffset: number;
  /** Requested: what may have been removed. */
  compactRequested: number;
  tombstonesBefore: number;
  /** Done: what must not come back. */
  readonly compacted: Set<number>;
}

/** A promise for the model: it can only become stronger. */
export class StoreModel {
  constructor(private readonly logs = new Map<string, ModelLog>()) {}

  /** The promises of this moment. */
  copy(): StoreModel {
    const logs = new Map<string, ModelLog>();
    for (const [name, log] of this.logs) {
      logs.set(name, {
        ...log,
        appends: log.appends.map((append) => ({ ...append })),
        compacted: new Set(log.compacted),
      });
    }
    return new StoreModel(logs);
  }

  /** Distinguishes two sets of promises. */
  get key(): string {
    const parts = [...this.logs.values()].map((log) => {
      const flags = log.appends.map(({ acknowledged }) => (acknowledged ? '1' : '0')).join('');
      const state = [log.created, log.dropping, log.dropped, log.trimRequested, log.startOffset];
      state.push(log.compactRequested, log.tombstonesBefore, log.compacted.size);
      return `${log.name}:${flags}:${state.join()}`;
    });
    return parts.join(';');
  }

  get recordCount(): number {
    let count = 0;
    for (const { appends } of this.logs.values()) {
      for (const { records } of appends) count += records.length;
    }
    return count;
  }

  async createLog(store: Store, name: string, preparesNextSegment = false): Promise<void> {
    const log: ModelLog = {
      name,
      appends: [],
      created: false,
      dropping: false,
      dropped: false,
      trimRequested: 0,
      startOffset: 0,
      compactRequested: 0,
      tombstonesBefore: Number.NEGATIVE_INFINITY,
      compacted: new Set(),
    };
    this.logs.set(name, log);
    await store.createLog(name, { preparesNextSegment });
    log.created = true;
  }

  /** The promise settles with that of the append. */
  append(store: Store, name: string, records: readonly RecordInput[]): Promise<void> {
    try {
      const { baseOffset, timestamp, durable } = logOf(store, name).append(records);
      const outcome = { acknowledged: false, refused: false };
      const append = { baseOffset, records, appendedAt: timestamp, ...outcome };
      this.logs.get(name)?.appends.push(append);
      return durable.then(
        () => {
          append.acknowledged = true;
        },
        (error: unknown) => {
          append.refused = error instanceof DiskFull;
          throw error;
        },
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async trimTo(store: Store, name: string, offset: number): Promise<void> {
    const log = this.logs.get(name);
    if (log === undefined) return;
    log.trimRequested = Math.max(log.trimRequested, offset);
    log.startOffset = await logOf(store, name).trimTo(offset);
  }

  /** Compacts everything that is sealed at this moment. */
  async compact(store: Store, name: string, tombstonesBefore: number): Promise<void> {
    const promised = this.logs.get(name);
    if (promised === undefined) return;
    const log = logOf(store, name);
    // Finished segments are being sealed: a trim waits for that.
    await log.trimTo(0);
    const until = log.segments.findLast(({ isSealed }) => isSealed)?.nextOffset ?? 0;
    promised.compactRequested = Math.max(promised.compactRequested, until);
    promised.tombstonesBefore = Math.max(promised.tombstonesBefore, tombstonesBefore);
    await log.compact({ until, tombstonesBefore });
    const found = await readAll(log);
    for (const { offset } of recordsBelow(promised, until)) {
      if (offset >= log.startOffset && !found.has(offset)) promised.compacted.add(offset);
    }
  }

  async dropLog(store: Store, name: string): Promise<void> {
    const log = this.logs.get(name);
    if (log === undefined) return;
    log.dropping = true;
    await store.dropLog(name);
    log.dropped = true;
  }

  /**
   * Throws if the store has broken a promise, or holds something that it was never given.
   * Unacknowledged records that it holds become promised: they were seen, so they must not vanish
   * any more.
   */
  async check(store: Store, lossAllowed = false): Promise<void> {
    for (const log of store.logs()) {
      const { name } = log;
      if (!this.logs.has(name)) throw new Error(`log ${name} was never created`);
    }
    for (const promised of this.logs.values()) {
      const log = store.log(promised.name);
      if (log === undefined) {
        if (promised.created && !promised.dropping) throw new Error(`${promised.name} is gone`);
        promised.appends.length = 0;
        continue;
      }
      if (promised.dropped) throw new Error(`log ${promised.name} came back`);
      promised.created = true;
      await checkLog(promised, log, lossAllowed);
    }
  }
}

async function checkLog(promised: ModelLog, log: PartitionLog, lossAllowed: boolean) {
  const { name, appends } = promised;
  const start = log.startOffset;
  if (start < promised.startOffset) throw new Error(`${name}: trimmed records came back`);
  if (start > Math.max(promised.trimRequested, promised.startOffset)) {
    throw new Error(`${name}: starts at ${start}, trimmed to ${promised.trimRequested}`);
  }
  promised.startOffset = start;
  const found = await readAll(log);
  const removed = removedByCompaction(promised, start, found);
  let missingFrom: number | null = null;
  let matched = 0;
  let index = 0;
  for (; index < appends.length; index += 1) {
    const append = appends[index];
    if (append === undefined) break;
    if (append.refused) {
      const exists = append.records.some((_, delta) => found.has(append.baseOffset + delta));
      if (exists) throw new Error(`${name}: refused offset ${append.baseOffset} is there`);
      continue;
    }
    const present = append.records.filter((_, delta) => {
      const offset = append.baseOffset + delta;
      return offset < start || found.has(offset) || removed.has(offset);
    }).length;
    if (present === 0) {
      if (append.acknowledged && !lossAllowed) {
        throw new Error(`${name}: acknowledged offset ${append.baseOffset} is gone`);
      }
      missingFrom ??= index;
      continue;
    }
    if (missingFrom !== null) throw new Error(`${name}: a hole before ${append.baseOffset}`);
    if (present < append.records.length) throw new Error(`${name}: half an append is there`);
    matched += checkRecords(name, append, found);
    append.acknowledged = true;
  }
  if (matched !== found.size) throw new Error(`${name}: ${found.size - matched} unknown records`);
  const lost = missingFrom === null ? [] : appends.splice(missingFrom);
  // The next process may assign their offsets again.
  appends.splice(0, appends.length, ...appends.filter(({ refused }) => !refused));
  if (lossAllowed) {
    const reused = lost.some(({ acknowledged, baseOffset, records }) => {
      return acknowledged && log.endOffset < baseOffset + records.length;
    });
    if (reused) throw new Error(`${name}: offsets of lost records will be used again`);
  }
}

/** Everything that was submitted, newest first. */
function* recordsBelow({ appends }: ModelLog, until: number) {
  for (const { baseOffset, records, appendedAt, refused } of appends.toReversed()) {
    if (refused) continue;
    for (const [delta, record] of [...records.entries()].reverse()) {
      const offset = baseOffset + delta;
      if (offset < until) yield { offset, record, appendedAt };
    }
  }
}

/**
 * The offsets that compaction may have emptied. Throws if the last value of a key is missing, or if
 * a superseded one is there again, even one superseded by a tombstone that was removed itself.
 */
function removedByCompaction(
  promised: ModelLog,
  start: number,
  found: ReadonlyMap<number, FoundRecord>,
): Set<number> {
  const removed = new Set<number>();
  const newer = new Map<string, 'is there' | 'is gone'>();
  for (const { offset, record, appendedAt } of recordsBelow(promised, promised.compactRequested)) {
    if (offset < start || record.key === null) continue;
    const key = record.key.toString('hex');
    const superseding = newer.get(key);
    if (found.has(offset)) {
      const isBack = superseding === 'is gone' || promised.compacted.has(offset);
      if (isBack) throw new Error(`${promised.name}: compacted offset ${offset} is there again`);
      newer.set(key, superseding ?? 'is there');
      continue;
    }
    const isOld = record.value === null && appendedAt < promised.tombstonesBefore;
    if (superseding === undefined && !isOld) {
      throw new Error(`${promised.name}: the last record of a key, ${offset}, is gone`);
    }
    newer.set(key, superseding ?? 'is gone');
    removed.add(offset);
  }
  return removed;
}

type FoundRecord = RecordInput & { readonly offset: number };

async function readAll(log: PartitionLog): Promise<Map<number, FoundRecord>> {
  const found = new Map<number, FoundRecord>();
  for (let at = log.startOffset; at < log.highWatermark; ) {
    const batches = await log.read(at);
    if (batches.length === 0) throw new Error(`${log.name}: a reader stands still at ${at}`);
    for (const batch of batches) {
      if (batch.baseOffset < at) throw new Error(`${log.name}: batches overlap at ${at}`);
      for (const record of batch.records()) {
        if (found.has(record.offset)) throw new Error(`${log.name}: ${record.offset} is twice`);
        found.set(record.offset, record);
      }
      at = batch.nextOffset;
    }
  }
  return found;
}

const bytesOfKey = ({ key }: Pick<RecordInput, 'key'>) =>
  typeof key === 'string' ? Buffer.from(key) : key;

function checkRecords(
  name: string,
  append: Submitted,
  found: ReadonlyMap<number, FoundRecord>,
): number {
  let matched = 0;
  for (const [delta, record] of append.records.entries()) {
    const there = found.get(append.baseOffset + delta);
    if (there === undefined) continue;
    const same =
      equal(bytesOfKey(record), bytesOfKey(there)) &&
      equal(record.value, there.value) &&
      JSON.stringify(record.terms ?? []) === JSON.stringify(there.terms);
    if (!same) throw new Error(`${name}: the record at ${append.baseOffset + delta} has changed`);
    matched += 1;
  }
  return matched;
}

function equal(one: Buffer | null, two: Buffer | null): boolean {
  return one === null || two === null ? one === two : one.equals(two);
}

function logOf(store: Store, name: string): PartitionLog {
  const log = store.log(name);
  if (log === undefined) throw new Error(`no log ${name}`);
  return log;
}
