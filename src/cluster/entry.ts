/**
 * Encodes and decodes the entries of the shared log: claims, heartbeats, releases, and batches in
 * parts (ADR 63).
 */
import { crc32 } from 'node:zlib';
import { NewerFormat } from '../../storage/faults/storage-errors.js';

/*
  Entry => header (48 bytes), body; little endian

     0  magic      'SWCE'
     4  checksum   UINT32   crc32 of the bytes after this field
     8  version    UINT8    1
     9  kind       UINT8    1 claim, 2 heartbeat, 3 part of a batch, 4 release
    10  part       UINT16   from 0
    12  parts      UINT16   of the batch; 1 for others
    14  zero       UINT16
    16  epoch      UINT32
    20  previous   UINT32   chain checksum of the batch before, or of the last batch
    24  after      FLOAT64  the writer has read all places before this one
    32  sequence   FLOAT64  of the batch, from 1; of a heartbeat or release, of the last that counts
    40  nonce      8 bytes  which life of which node wrote it

  body: of a claim the name of the node, of a part the bytes.
*/
const headerLength = 48;
const magic = 0x45435753;
const version = 1;
const kinds = ['', 'claim', 'heartbeat', 'part', 'release'] as const;

/** Maximum bytes of a part's body, because many log systems limit records to 1 MiB. */
export const partBytesMax = 900 * 1024;

/** The most parts that a batch may have. */
const partsMax = 0xffff;

/** One life of a node, from start to end: 16 hexadecimal digits, never the same twice. */
export type Life = string;

interface EntryHead {
  readonly epoch: number;
  readonly life: Life;
  /** The writer had read all places before this one. */
  readonly after: number;
}

/** A node claims the log: its epoch is the previous owner's epoch plus one. */
export interface Claim extends EntryHead {
  readonly kind: 'claim';
  readonly node: string;
}

/** The owner is alive. Every reader compares the last batch named here with its own last batch. */
export interface Heartbeat extends EntryHead {
  readonly kind: 'heartbeat';
  readonly sequence: number;
  /** The chain checksum after that batch. */
  readonly checksum: number;
}

/** The owner has stopped serving: any node may claim the log at once. */
export interface Release extends Omit<Heartbeat, 'kind'> {
  readonly kind: 'release';
}

/** A batch, or a part of one. */
export interface BatchPart extends EntryHead {
  readonly kind: 'part';
  /** The number of the batch: one more than that of the batch before. */
  readonly sequence: number;
  /** The chain checksum of the batch before. */
  readonly previous: number;
  readonly part: number;
  readonly parts: number;
  readonly body: Buffer;
}

/** A decoded entry of the shared log. */
export type Entry = Claim | Heartbeat | Release | BatchPart;

/** The chain checksum after a batch: it covers all batches up to this one, in their order. */
export function chained(previous: number, body: Buffer): number {
  return crc32(body, previous);
}

/**
 * A buffer reused for one entry after another. Buffers lie outside V8's heap, so allocating one for
 * each entry would make V8 run a full garbage collection about every second.
 */
export class EntryRoom {
  private room: Buffer = Buffer.alloc(0);

  /** Returns `length` uninitialized bytes. They may overlap the bytes returned before. */
  take(length: number): Buffer {
    if (this.room.length < length) this.room = Buffer.allocUnsafeSlow(Math.ceil(length * 1.5));
    return this.room.subarray(0, length);
  }
}

/** Encodes an entry into the memory of `room`. */
export function encodeEntry(entry: Entry, room = new EntryRoom()): Buffer {
  const body = bodyOf(entry);
  const bytes = room.take(headerLength + body.length);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt8(version, 8);
  bytes.writeUInt8(kinds.indexOf(entry.kind), 9);
  const isPart = entry.kind === 'part';
  bytes.writeUInt16LE(isPart ? entry.part : 0, 10);
  bytes.writeUInt16LE(isPart ? entry.parts : 1, 12);
  bytes.writeUInt16LE(0, 14);
  bytes.writeUInt32LE(entry.epoch, 16);
  bytes.writeUInt32LE(linkOf(entry), 20);
  bytes.writeDoubleLE(entry.after, 24);
  bytes.writeDoubleLE(entry.kind === 'claim' ? 0 : entry.sequence, 32);
  bytes.write(entry.life, 40, 8, 'hex');
  body.copy(bytes, headerLength);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

function linkOf(entry: Entry): number {
  if (entry.kind === 'part') return entry.previous;
  return entry.kind === 'claim' ? 0 : entry.checksum;
}

function bodyOf(entry: Entry): Buffer {
  if (entry.kind === 'part') return entry.body;
  return Buffer.from(entry.kind === 'claim' ? entry.node : '');
}

/**
 * Decodes bytes of the log; null if they are not an intact entry. Throws `NewerFormat` if a later
 * version of the program wrote them.
 */
export function decodeEntry(bytes: Buffer): Entry | null {
  if (bytes.length < headerLength || bytes.readUInt32LE(0) !== magic) return null;
  if (crc32(bytes.subarray(8)) !== bytes.readUInt32LE(4)) return null;
  const written = bytes.readUInt8(8);
  if (written > version) throw new NewerFormat(`the shared log has an entry of format ${written}`);
  const epoch = bytes.readUInt32LE(16);
  const after = bytes.readDoubleLE(24);
  const sequence = bytes.readDoubleLE(32);
  const life = bytes.toString('hex', 40, headerLength);
  const body = bytes.subarray(headerLength);
  switch (kinds[bytes[9] ?? 0]) {
    case 'claim':
      return { kind: 'claim', epoch, life, after, node: body.toString() };
    case 'heartbeat':
    case 'release': {
      const kind = bytes[9] === kinds.indexOf('heartbeat') ? 'heartbeat' : 'release';
      return { kind, epoch, life, after, sequence, checksum: bytes.readUInt32LE(20) };
    }
    case 'part': {
      const [part, parts] = [bytes.readUInt16LE(10), bytes.readUInt16LE(12)];
      const previous = bytes.readUInt32LE(20);
      return { kind: 'part', epoch, life, after, sequence, previous, part, parts, body };
    }
    default:
      return null;
  }
}

/**
 * Cuts the bytes of a batch into bodies of at most `partBytes`; an empty batch gives one empty
 * part.
 */
export function partsOf(body: Buffer, partBytes: number): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < body.length; from += partBytes) {
    parts.push(body.subarray(from, from + partBytes));
  }
  if (parts.length > partsMax) throw new RangeError(`a batch of ${parts.length} parts`);
  return parts.length === 0 ? [body] : parts;
}
