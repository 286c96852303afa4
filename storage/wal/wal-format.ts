/** The bytes of the write-ahead log, and which of them count after a crash. */
import { crc32 } from 'node:zlib';

/*
  WAL => two halves of the same length, written in turn; a half is a generation: entries from its
  beginning, followed by what is left of the generation before the last one

  entry, at a multiple of 8 =>
     0  magic           'SWWA'
     4  headerChecksum  UINT32   crc32 of bytes 8 to 47
     8  generation      UINT32   rises by one with each half that is begun
    12  sequence        UINT32   place of the entry in its generation, from 0
    16  before          UINT32   entries of the generation before that still count; 0 = none
    20  bodyLength      UINT32
    24  bodyChecksum    UINT32
    28  halfLength      UINT32   bytes of a half: shows whether the file was cut off
    32  id              16 random bytes that name the file: entries of others are ignored
    48  body            parts, one after another

  part => logId UINT32, number UINT32, position UINT32, length UINT32, bytes
*/
const magic = 0x41575753;
/** Bytes before the body of each entry. */
export const entryHeaderLength = 48;
const partHeaderLength = 16;

/** The bytes of a group as they are in the file of its segment. */
export interface WalPart {
  readonly logId: number;
  /** The number of the segment. */
  readonly number: number;
  /** The position in the segment's file. */
  readonly position: number;
  readonly bytes: Buffer;
}

/** The header of an entry. */
export interface EntryPlace {
  readonly generation: number;
  readonly sequence: number;
  readonly before: number;
  readonly halfLength: number;
}

interface FoundEntry extends EntryPlace {
  readonly position: number;
  /** Null if the bytes are not those that were written. */
  readonly parts: readonly WalPart[] | null;
}

/** What a crash has left in the two halves. */
export interface WalContents {
  /** In the order in which they were written. */
  readonly parts: readonly WalPart[];
  /** Why acknowledged groups cannot be read; null if all can. */
  readonly fault: string | null;
}

/** Bytes that a part takes in an entry. */
export function partLength(bytes: number): number {
  return partHeaderLength + bytes;
}

/** Bytes of an entry, up to the beginning of the next one. */
export function entryLength(bodyLength: number): number {
  return (entryHeaderLength + bodyLength + 7) & ~7;
}

/** Encodes an entry at the beginning of `target`, which has room for it; returns its bytes. */
export function encodeEntry(
  target: Buffer,
  id: Buffer,
  { generation, sequence, before, halfLength }: EntryPlace,
  parts: readonly WalPart[],
): Buffer {
  let end = entryHeaderLength;
  for (const { logId, number, position, bytes } of parts) {
    target.writeUInt32LE(logId, end);
    target.writeUInt32LE(number, end + 4);
    target.writeUInt32LE(position, end + 8);
    target.writeUInt32LE(bytes.length, end + 12);
    bytes.copy(target, end + partHeaderLength);
    end += partLength(bytes.length);
  }
  const length = entryLength(end - entryHeaderLength);
  target.fill(0, end, length);
  target.writeUInt32LE(magic, 0);
  target.writeUInt32LE(generation, 8);
  target.writeUInt32LE(sequence, 12);
  target.writeUInt32LE(before, 16);
  target.writeUInt32LE(end - entryHeaderLength, 20);
  target.writeUInt32LE(crc32(target.subarray(entryHeaderLength, end)), 24);
  target.writeUInt32LE(halfLength, 28);
  id.copy(target, 32, 0, 16);
  target.writeUInt32LE(crc32(target.subarray(8, entryHeaderLength)), 4);
  return target.subarray(0, length);
}

/**
 * What counts in the two halves. The entries of a generation were written one after another, each
 * once the one before it was durable: so only the last entry of the last generation may be torn,
 * and any other entry that cannot be read is damage.
 */
export function readWal(halves: readonly Buffer[], id: Buffer): WalContents {
  const found = halves.flatMap((half) => entriesIn(half, id));
  const isCutOff = halves.some(({ length }) => found.some((entry) => entry.halfLength !== length));
  if (isCutOff) return { parts: partsOf(found), fault: 'it has not the length that it had' };
  const generation = found.reduce((highest, entry) => Math.max(highest, entry.generation), 0);
  if (generation === 0) return { parts: [], fault: 'no entry is intact' };
  const of = (wanted: number) => found.filter((entry) => entry.generation === wanted);
  const latest = of(generation);
  const torn = latest.at(-1)?.parts === null ? latest.pop() : undefined;
  const before = (latest.at(-1) ?? torn)?.before ?? 0;
  const older = of(generation - 1).slice(0, before);
  const isWhole = older.length === before && areInTurn(older) && areInTurn(latest);
  return {
    parts: partsOf([...older, ...latest]),
    fault: isWhole ? null : 'an entry is not intact',
  };
}

function partsOf(entries: readonly FoundEntry[]): WalPart[] {
  return entries.flatMap(({ parts }) => parts ?? []);
}

/** Whether these are the first entries of a generation, all of them intact. */
function areInTurn(entries: readonly FoundEntry[]): boolean {
  return entries.every(({ sequence, parts }, place) => sequence === place && parts !== null);
}

/** Every entry of this file whose header is intact, in the order of their positions. */
function entriesIn(half: Buffer, id: Buffer): FoundEntry[] {
  const found: FoundEntry[] = [];
  let position = 0;
  while (position + entryHeaderLength <= half.length) {
    const entry = entryAt(half, position, id);
    if (entry !== null) found.push(entry);
    const end =
      entry?.parts == null ? position + 8 : position + entryLength(lengthAt(half, position));
    position = half.indexOf(magicBytes, end);
    if (position === -1) break;
  }
  return found;
}

const magicBytes = Buffer.from('SWWA');
const lengthAt = (half: Buffer, position: number) => half.readUInt32LE(position + 20);

function entryAt(half: Buffer, position: number, id: Buffer): FoundEntry | null {
  if (half.readUInt32LE(position) !== magic) return null;
  const header = half.subarray(position + 8, position + entryHeaderLength);
  if (half.readUInt32LE(position + 4) !== crc32(header)) return null;
  if (!header.subarray(24, 40).equals(id)) return null;
  return {
    generation: half.readUInt32LE(position + 8),
    sequence: half.readUInt32LE(position + 12),
    before: half.readUInt32LE(position + 16),
    halfLength: half.readUInt32LE(position + 28),
    position,
    parts: partsAt(half, position),
  };
}

function partsAt(half: Buffer, position: number): WalPart[] | null {
  const start = position + entryHeaderLength;
  const end = start + lengthAt(half, position);
  if (half.readUInt32LE(position + 24) !== crc32(half.subarray(start, end))) return null;
  const parts: WalPart[] = [];
  for (let at = start; at < end; ) {
    const from = at + partHeaderLength;
    const until = from + half.readUInt32LE(at + 12);
    parts.push({
      logId: half.readUInt32LE(at),
      number: half.readUInt32LE(at + 4),
      position: half.readUInt32LE(at + 8),
      bytes: half.subarray(from, until),
    });
    at = until;
  }
  return parts;
}
