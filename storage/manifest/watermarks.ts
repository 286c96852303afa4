/** How far each log was durable a moment ago: this distinguishes a torn tail from damaged data. */
import { crc32 } from 'node:zlib';
import type { Disk, FileHandle } from '../disk/disk.js';
import type { FsyncMode } from '../disk/fsync-mode.js';
import type { Timer } from '../disk/timer.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { readUpTo, writeFully } from '../disk/whole-file.js';
import { isNoSpace } from '../faults/storage-errors.js';
import { type Offset, readOffset, writeOffset } from '../offsets/offset.js';

/*
  Watermarks => for log id n at n * 1024: two slots of 512 bytes, written in turn

  slot =>
     0  magic            'SWWM'
     4  checksum         UINT32   crc32 of bytes 8 to 47
     8  sequence         UINT32   the slot with the later one counts; 2^32 - 1 is followed by 0
    12  segment          UINT32   number of the growing segment
    16  durablePosition  UINT32   bytes of it that were fdatasynced
    20  epoch            UINT32
    24  durableOffset    UINT64   offsets before this were fdatasynced
    32  acknowledged     UINT64   offsets before this were acknowledged
    40  logTag           UINT32
    44  reserved         4 bytes of zero

  A hint that only ever adds proof: a missing or broken slot proves nothing and loses nothing.
*/
const magic = 0x4d575753;
/** Bytes of a slot: one disk sector, so that a power cut leaves the old or the new content. */
export const slotLength = 512;
const usedLength = 48;

/** The segment that grows, or grew last, and how many of its bytes are known to be on disk. */
export interface DurablePlace {
  readonly segment: number;
  readonly durablePosition: number;
}

/** How far one log was durable, and which log it was. */
export interface Watermark extends DurablePlace {
  readonly epoch: number;
  readonly durableOffset: Offset;
  readonly acknowledged: Offset;
  readonly logTag: number;
}

interface Slot extends Watermark {
  readonly sequence: number;
}

function encodeSlot(sequence: number, mark: Watermark): Buffer {
  const bytes = Buffer.alloc(slotLength);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt32LE(sequence, 8);
  bytes.writeUInt32LE(mark.segment, 12);
  bytes.writeUInt32LE(mark.durablePosition, 16);
  bytes.writeUInt32LE(mark.epoch, 20);
  writeOffset(bytes, mark.durableOffset, 24);
  writeOffset(bytes, mark.acknowledged, 32);
  bytes.writeUInt32LE(mark.logTag, 40);
  bytes.writeUInt32LE(crc32(bytes.subarray(8, usedLength)), 4);
  return bytes;
}

function decodeSlot(bytes: Buffer): Slot | null {
  if (bytes.length < usedLength || bytes.readUInt32LE(0) !== magic) return null;
  if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(8, usedLength))) return null;
  return {
    sequence: bytes.readUInt32LE(8),
    segment: bytes.readUInt32LE(12),
    durablePosition: bytes.readUInt32LE(16),
    epoch: bytes.readUInt32LE(20),
    durableOffset: readOffset(bytes, 24),
    acknowledged: readOffset(bytes, 32),
    logTag: bytes.readUInt32LE(40),
  };
}

/** Whether all bytes of a slot are as they were written, or it was never written. */
export function isIntactSlot(bytes: Buffer): boolean {
  const slot = decodeSlot(bytes);
  if (slot === null) return bytes.every((byte) => byte === 0);
  return encodeSlot(slot.sequence, slot).equals(bytes);
}

/** Fifty writes a second reach 2^32 in three years, so the difference shows which one is later. */
function isLater(sequence: number, than: number): boolean {
  return ((sequence - than) | 0) > 0;
}

/** Up to this size the file is read at once, however little of it is needed. */
const smallBytes = 1024 * 1024;

/** The watermarks of a store; written often, synced once in a while. */
export class WatermarkFile {
  private readonly sequences = new Map<number, number>();
  /** All slots as they were at the start; kept while logs are opened. */
  private loaded: Buffer | null = null;

  private readonly disk: Disk;

  /** Unreadable parts of the file certify nothing. */
  constructor(
    disk: Disk,
    private readonly file: FileHandle,
  ) {
    this.disk = aroundUnreadable(disk, () => undefined);
  }

  /**
   * Runs `use`, which reads the watermarks of `logs` logs: the file is read once for all, unless
   * most of it belongs to logs that are gone.
   */
  async readingAll<T>(logs: number, use: () => Promise<T>): Promise<T> {
    const size = await this.disk.size(this.file);
    const isSmall = size <= Math.max(smallBytes, logs * slotLength * 8);
    this.loaded = isSmall ? await readUpTo(this.disk, this.file, 0, size) : null;
    try {
      return await use();
    } finally {
      this.loaded = null;
    }
  }

  /** The newest intact watermark of a log, if it belongs to this log. */
  async read(logId: number, logTag: number): Promise<Watermark | null> {
    const start = logId * slotLength * 2;
    const bytes =
      this.loaded?.subarray(start, start + slotLength * 2) ??
      (await readUpTo(this.disk, this.file, start, slotLength * 2));
    const slots = [bytes.subarray(0, slotLength), bytes.subarray(slotLength)].map(decodeSlot);
    let newest: Slot | null = null;
    for (const slot of slots) {
      if (slot === null || slot.logTag !== logTag) continue;
      if (newest === null || isLater(slot.sequence, newest.sequence)) newest = slot;
    }
    this.sequences.set(logId, newest?.sequence ?? 0);
    return newest;
  }

  /** Writes one. False if there is no room: the other slot stays valid until this is written. */
  async write(logId: number, mark: Watermark): Promise<boolean> {
    const sequence = ((this.sequences.get(logId) ?? 0) + 1) >>> 0;
    const position = (logId * 2 + (sequence % 2)) * slotLength;
    try {
      await writeFully(this.disk, this.file, encodeSlot(sequence, mark), position);
    } catch (error) {
      if (isNoSpace(error)) return false;
      throw error;
    }
    this.sequences.set(logId, sequence);
    return true;
  }

  /** Settles when everything written is durable. */
  sync(): Promise<void> {
    return this.disk.sync(this.file);
  }

  close(): Promise<void> {
    return this.disk.close(this.file);
  }
}

/** The watermarks of all logs that move within this time are written together. */
const writeDelayMs = 20;
const syncIntervalMs = 1000;

/** Writes the watermarks of logs that moved: soon after, all together, synced once a second. */
export class WatermarkKeeper {
  private readonly due = new Map<number, () => Watermark>();
  private cancel: (() => void) | null = null;
  private writing: Promise<void> = Promise.resolve();
  private syncedAt = 0;
  private stopped = false;

  constructor(
    private readonly file: WatermarkFile,
    private readonly after: Timer,
    private readonly now: () => number,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The durable end of a log has moved. One timer serves all logs, under load and at rest. */
  moved(logId: number, mark: () => Watermark): void {
    this.due.set(logId, mark);
    if (this.cancel !== null || this.stopped) return;
    this.cancel = this.after(writeDelayMs, () => {
      this.cancel = null;
      this.writing = this.writing.then(() => this.writeDue(false)).catch(this.failed);
    });
  }

  /** Writes due watermarks and syncs them: for a clean stop. */
  async close(): Promise<void> {
    await this.stop();
    await this.writeDue(true);
    await this.file.close();
  }

  /** Stops writing. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    this.cancel = null;
    await this.writing;
  }

  private async writeDue(sync: boolean): Promise<void> {
    const due = [...this.due];
    this.due.clear();
    for (const [logId, mark] of due) {
      const isWritten = await this.file.write(logId, mark());
      // A watermark only ever adds proof: on a full disk it waits until the next one is due.
      if (!isWritten && !this.due.has(logId)) this.due.set(logId, mark);
    }
    const now = this.now();
    if (!sync && now - this.syncedAt < syncIntervalMs) return;
    this.syncedAt = now;
    await this.file.sync();
  }
}

/** The store that keeps the watermarks. */
export interface MarkingStore {
  readonly fsync: FsyncMode;
  readonly epoch: number;
  /** Null in a store that is only read. */
  readonly watermarks: WatermarkKeeper | null;
}

/** The log of a watermark. */
interface MarkedLog {
  readonly id: number;
  readonly logTag: number;
  /** Everything below this is durable at first. */
  readonly nextOffset: Offset;
}

/** How far one log is durable: the content of its watermark. */
export class DurableMark {
  private acknowledged: Offset;
  private durableOffset: Offset;

  constructor(
    private readonly store: MarkingStore,
    private readonly log: MarkedLog,
    private readonly writer: { readonly durablePlace: DurablePlace; readonly isSynced: boolean },
  ) {
    this.acknowledged = log.nextOffset;
    this.durableOffset = log.nextOffset;
  }

  /** Offsets below this are acknowledged. */
  committed(offset: Offset): void {
    this.acknowledged = offset;
    const { fsync } = this.store;
    if (fsync !== 'strict') this.synced(this.durableOffset);
    // Groups that were written ahead are certified by the write-ahead log.
    else if (this.writer.isSynced) this.synced(offset);
  }

  /** Offsets below this are in the file of their segment and on disk. */
  synced(offset: Offset): void {
    this.durableOffset = Math.max(this.durableOffset, offset);
    this.store.watermarks?.moved(this.log.id, this.watermark);
  }

  private readonly watermark = (): Watermark => ({
    epoch: this.store.epoch,
    durableOffset: this.durableOffset,
    acknowledged: this.acknowledged,
    logTag: this.log.logTag,
    ...this.writer.durablePlace,
  });
}
