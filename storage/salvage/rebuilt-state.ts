/**
 * The manifest that could be written from the files of the logs alone, if neither copy of it begins
 * intact: headers show the log of a segment and the segment before it, footers where it ends. Only
 * the remains of the copies give the names; nothing else in a folder does.
 */
import { basename } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { parseLogName, type StoreDirectory } from '../disk/store-directory.js';
import { filler } from '../disk/unreadable-pages.js';
import { readUpTo, readWhole, withFile } from '../disk/whole-file.js';
import { DamagedData } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import {
  decodeSegmentFooter,
  decodeSegmentHeader,
  type SegmentHeader,
  segmentFooterLength,
  segmentHeaderLength,
} from '../format/segment-format.js';
import type {
  LogSettings,
  ManifestLog,
  ManifestSegment,
  ManifestState,
} from '../manifest/manifest.js';
import type { Watermark } from '../manifest/watermarks.js';
import { findSegment } from './known-end.js';
import { lost, numbersIn, watermarkOf, withOpen } from './segments-in-order.js';

/** A manifest that lists every segment with its end. */
export interface ReadableState {
  readonly storeId: Buffer;
  readonly generation: number;
  readonly state: ManifestState;
  /** What the files leave open, in words. */
  readonly problems: readonly string[];
}

/** What is known of logs that nothing in the folder names. */
export interface KnownLogs {
  /** The first log that the store created; it always begins at offset 0. */
  readonly first: { readonly name: string; readonly settings: LogSettings };
}

/** A log as far as the remains of the manifest describe it. */
interface NamedLog {
  readonly name: string;
  readonly settings: LogSettings;
}

/** A segment file according to its first and last bytes. */
interface SegmentFile {
  readonly number: number;
  readonly header: SegmentHeader | null;
  readonly footer: ReturnType<typeof decodeSegmentFooter>;
}

/** The beginnings of the two kinds of edits that describe a log. */
const namedLog = /"id":(\d+),"name":("(?:[^"\\]|\\.)*"),"settings":(\{[^{}]*\})/g;
const droppedLog = /"type":"logDropped","id":(\d+)\}/g;

/**
 * Rebuilds the state. Throws `DamagedData` if no segment shows to which store it belongs: then
 * nothing can be salvaged.
 */
export async function rebuiltState(
  disk: Disk,
  directory: StoreDirectory,
  { first }: KnownLogs,
): Promise<ReadableState> {
  const { names, dropped } = await remainsOfManifest(disk, directory);
  const ids = (await disk.list(directory.logs).catch(() => []))
    .map(parseLogName)
    .filter((id) => id !== null && !dropped.has(id))
    .filter((id) => id !== null);
  const files = new Map<number, readonly SegmentFile[]>();
  for (const id of ids) files.set(id, await filesOf(disk, directory, id));
  const headers = [...files.values()].flat().flatMap(({ header }) => header ?? []);
  const storeId = mostFrequent(headers.map((header) => header.storeId));
  if (storeId === null) {
    const range = { file: directory.manifest(0), from: 0, to: 0, lastGoodOffset: null };
    throw new DamagedData(range, 'no copy begins intact, nor does any segment; restore a backup');
  }
  const problems = ['neither copy of the manifest begins intact: it was rebuilt from the segments'];
  const logs: ManifestLog[] = [];
  for (const [id, own] of files) {
    const known = names.get(id) ?? (id === 0 ? first : null);
    if (known === null) {
      problems.push(`logs/${directoryName(id)}: nothing says its name; it is called found/${id}`);
    }
    const named = known ?? { name: `found/${id}`, settings: {} };
    const rebuilding = { disk, directory, storeId, problems };
    logs.push(await rebuiltLog(rebuilding, id, named, own, id === 0));
  }
  const epoch = Math.max(0, ...headers.map((header) => header.epoch));
  const nextLogId = Math.max(-1, ...ids, ...names.keys(), ...dropped) + 1;
  if ((await disk.list(directory.path)).includes(basename(directory.wal))) {
    problems.push('WAL: nothing says whether it has records that a power cut took');
  }
  const state = { epoch, nextLogId, logs, dropped: [], closed: null };
  return { storeId, generation: 0, state, problems };
}

const directoryName = (id: number) => String(id).padStart(10, '0');

/** Names and drops found in the remains of the copies, in whole edits or in pieces. */
async function remainsOfManifest(disk: Disk, directory: StoreDirectory) {
  const names = new Map<number, NamedLog>();
  const dropped = new Set<number>();
  for (const copy of [0, 1] as const) {
    const bytes = await readWhole(disk, directory.manifest(copy)).catch(() => Buffer.alloc(0));
    const text = bytes.toString('utf8');
    for (const [, id, name = '', settings = ''] of text.matchAll(namedLog)) {
      const named = parsed(name, settings);
      if (named !== null) names.set(Number(id), named);
    }
    for (const [, id] of text.matchAll(droppedLog)) dropped.add(Number(id));
  }
  return { names, dropped };
}

/** Replacements for bytes that are not text, or that the disk cannot read. */
const notText = ['\ufffd', filler.repeat(2)];

/** Null if the text is not a name after all: the bytes around it may be damaged. */
function parsed(name: string, settings: string): NamedLog | null {
  try {
    const text: unknown = JSON.parse(name);
    const isText = typeof text === 'string' && !notText.some((bytes) => text.includes(bytes));
    return isText ? { name: text, settings: JSON.parse(settings) as LogSettings } : null;
  } catch {
    return null;
  }
}

async function filesOf(disk: Disk, directory: StoreDirectory, id: number): Promise<SegmentFile[]> {
  const files: SegmentFile[] = [];
  for (const number of await numbersIn(disk, directory, id)) {
    files.push(
      await withFile(disk, directory.segment(id, number), 'read', async (file) => {
        const header = decodeSegmentHeader(await readUpTo(disk, file, 0, segmentHeaderLength));
        const end = (await disk.size(file)) - segmentFooterLength;
        const footer =
          end < segmentHeaderLength
            ? null
            : decodeSegmentFooter(await readUpTo(disk, file, end, segmentFooterLength));
        return { number, header, footer: footer?.end.end === end ? footer : null };
      }),
    );
  }
  return files;
}

function mostFrequent(ids: readonly Buffer[]): Buffer | null {
  const counts = new Map<string, number>();
  for (const id of ids.map((bytes) => bytes.toString('hex'))) {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, two]) => two - one);
  return most === undefined ? null : Buffer.from(most[0], 'hex');
}

interface Rebuilding {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
  readonly storeId: Buffer;
  readonly problems: string[];
}

async function rebuiltLog(
  { disk, directory, storeId, problems }: Rebuilding,
  id: number,
  named: NamedLog,
  files: readonly SegmentFile[],
  beginsAtZero: boolean,
): Promise<ManifestLog> {
  const logTag = logTagOf(storeId, id);
  const watermark = await watermarkOf(disk, directory, id, logTag);
  const sealed = files.flatMap(({ number, footer }): ManifestSegment[] =>
    footer === null ? [] : [{ number, ...footer }],
  );
  const open = [];
  for (const { number, footer } of files) {
    if (footer !== null) continue;
    open.push(await findSegment(disk, directory.segment(id, number), number, logTag));
  }
  const numbers = new Set(files.map(({ number }) => number));
  const inOrder = withOpen(uncovered(sealed), open, numbers, watermark);
  const nextNumber = Math.max(-1, watermark?.segment ?? -1, ...numbers) + 1;
  const headers = new Map(files.map(({ number, header }) => [number, header]));
  const whole = new SegmentRow(headers, nextNumber, beginsAtZero);
  for (const segment of inOrder) whole.add(segment);
  whole.endAt(watermark);
  problems.push(...whole.lost.map((range) => `${named.name} ${range}: no file has these offsets`));
  return {
    id,
    ...named,
    startOffset: whole.startOffset,
    ceiling: Math.max(watermark?.durableOffset ?? 0, watermark?.acknowledged ?? 0),
    nextNumber: whole.nextNumber,
    segments: whole.segments,
  };
}

/** Without segments that a later one replaces: a crash may have left their files. */
function uncovered(sealed: readonly ManifestSegment[]): ManifestSegment[] {
  const covers = ({ number, end }: ManifestSegment, old: ManifestSegment) =>
    number > old.number &&
    end !== null &&
    old.end !== null &&
    end.baseOffset <= old.end.baseOffset &&
    old.end.nextOffset <= end.nextOffset;
  return sealed.filter((old) => !sealed.some((other) => covers(other, old)));
}

/** Segments one after another; for a file that is gone, one is listed that will be missing. */
class SegmentRow {
  readonly segments: ManifestSegment[] = [];
  /** Offset ranges that no file has, half-open. */
  readonly lost: string[] = [];
  startOffset = 0;
  private next = 0;

  constructor(
    private readonly headers: ReadonlyMap<number, SegmentHeader | null>,
    public nextNumber: number,
    private readonly beginsAtZero: boolean,
  ) {}

  add(segment: ManifestSegment): void {
    const { end, number } = segment;
    if (end === null) return;
    const header = this.headers.get(number) ?? null;
    const isFirst = this.segments.length === 0;
    if (isFirst && !this.beginsAtZero) this.startOffset = end.baseOffset;
    else if (end.baseOffset > this.next) this.addMissing(end.baseOffset, header);
    const before = this.segments.pop();
    if (before !== undefined) this.segments.push(linked(before, header));
    this.segments.push(segment);
    this.next = end.nextOffset;
  }

  /** Adds what the watermark shows to have been there after the last file. */
  endAt(watermark: Watermark | null): void {
    if (watermark === null || watermark.durableOffset <= this.next) return;
    if (this.segments.length === 0 && !this.beginsAtZero) this.startOffset = this.next;
    this.addMissing(watermark.durableOffset, null);
  }

  private addMissing(until: number, follower: SegmentHeader | null): void {
    this.lost.push(`[${this.next}, ${until})`);
    const end = {
      baseOffset: this.next,
      nextOffset: until,
      end: Math.max(segmentHeaderLength, follower?.previousEnd ?? 0),
      batchCount: 0,
      recordCount: 0,
      lastChecksum: follower?.chainSeed ?? 0,
      maxTimestamp: follower?.createdAt ?? 0,
      lastAppendTime: follower?.createdAt ?? 0,
    };
    this.segments.push(lost(this.nextNumber, end));
    this.nextNumber += 1;
    this.next = until;
  }
}

/** A segment that replaces others is followed by the segment that followed the last of those. */
function linked(segment: ManifestSegment, follower: SegmentHeader | null): ManifestSegment {
  const { end } = segment;
  if (follower === null || end === null) return segment;
  const { chainSeed: lastChecksum, previousEnd } = follower;
  if (lastChecksum === end.lastChecksum && previousEnd === end.end) return segment;
  return { ...segment, link: { lastChecksum, end: previousEnd } };
}
