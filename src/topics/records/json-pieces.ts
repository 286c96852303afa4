/**
 * A writer of JSON as bytes. The text grows in pieces, which are sent without copying. ADR 0033
 * explains why it is written by hand.
 */
import { isUtf8 } from 'node:buffer';

const firstPieceBytes = 2 * 1024;
const pieceBytes = 256 * 1024;
/** Spare bytes of a new piece, for the field names and numbers that follow. */
const frameBytes = 128;

/**
 * Strings up to this length are escaped byte by byte, each byte giving at most six; longer strings
 * use `JSON.stringify`.
 */
const shortBytesMax = 4 * 1024;
const escapedMax = 6;
/** Digits of the largest safe integer. */
const digitsMax = 16;
const billion = 1e9;
const billionDigits = 9;

const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const byNumber = 0x75;

/**
 * For each byte, the letter after the backslash; `u` = escaped by its number, 0 = not escaped (RFC
 * 8259, 7).
 */
const escapes = new Uint8Array(256);
escapes.fill(byNumber, 0, 0x20);
for (const [byte, letter] of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\']) {
  escapes[byte?.charCodeAt(0) ?? 0] = letter?.charCodeAt(0) ?? 0;
}

/** A position in the written text. */
export interface PiecesPosition {
  readonly closedCount: number;
  readonly closedBytes: number;
  readonly open: Buffer;
  readonly end: number;
}

/** Collects JSON. The caller must write valid JSON: nothing is checked. */
export class JsonPieces {
  private readonly closed: Buffer[] = [];
  private closedBytes = 0;
  private open: Buffer = none;
  private end = 0;
  /** View of the buffer that was read last; most records are slices of the same buffer. */
  private source: DataView = new DataView(none.buffer);

  /** Bytes that were written and not rewound. */
  get byteLength(): number {
    return this.closedBytes + this.end;
  }

  /** The whole text, in pieces. */
  get pieces(): Buffer[] {
    return this.end === 0 ? this.closed : [...this.closed, this.open.subarray(0, this.end)];
  }

  /** A copy of the whole text. */
  toBuffer(): Buffer {
    return Buffer.concat(this.pieces, this.byteLength);
  }

  /** A position to return to with `rewind`. */
  mark(): PiecesPosition {
    const { closed, closedBytes, open, end } = this;
    return { closedCount: closed.length, closedBytes, open, end };
  }

  /** Discards what was written since `mark`. */
  rewind({ closedCount, closedBytes, open, end }: PiecesPosition): void {
    this.closed.length = closedCount;
    this.closedBytes = closedBytes;
    this.open = open;
    this.end = end;
  }

  writeByte(byte: number): void {
    this.space(1)[this.end] = byte;
    this.end += 1;
  }

  /** Writes bytes unchanged. */
  write(bytes: Buffer): void {
    this.space(bytes.length).set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Writes JSON text as UTF-8, without adding quotes. */
  writeText(text: string): void {
    const length = Buffer.byteLength(text);
    this.space(length).write(text, this.end);
    this.end += length;
  }

  /**
   * Writes digit by digit: making a string of each number would cost as much as the rest of a short
   * record.
   */
  writeNumber(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      this.writeText(String(value));
      return;
    }
    const open = this.space(digitsMax);
    let length = 1;
    for (let power = 10; power <= value; power *= 10) length += 1;
    const end = this.end + length;
    const high = Math.floor(value / billion);
    const lowStart = Math.max(this.end, end - billionDigits);
    writeDigits(open, lowStart, end, value - high * billion);
    if (high > 0) writeDigits(open, this.end, lowStart, high);
    this.end = end;
  }

  /**
   * Writes bytes as a JSON string; false if they are not UTF-8, so that replacement characters
   * appear.
   */
  writeString(bytes: Buffer): boolean {
    if (bytes.length <= shortBytesMax && this.writeShort(bytes)) return true;
    this.writeText(JSON.stringify(bytes.toString()));
    return isUtf8(bytes);
  }

  /** Returns false, and writes nothing, if the bytes are not UTF-8. */
  private writeShort(bytes: Buffer): boolean {
    const open = this.space(bytes.length * escapedMax + 2);
    const plain = this.plainLength(bytes);
    let { end } = this;
    let seen = 0;
    open[end++] = quote;
    if (plain === bytes.length) open.set(bytes, end);
    else bytes.copy(open, end, 0, plain);
    end += plain;
    for (let index = plain; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      seen |= byte;
      const letter = escapes[byte] ?? 0;
      if (letter === 0) {
        open[end++] = byte;
        continue;
      }
      open[end++] = backslash;
      open[end++] = letter;
      if (letter === byNumber) {
        end += open.write(byte.toString(16).padStart(4, '0'), end, 'latin1');
      }
    }
    open[end++] = quote;
    if (seen > 0x7f && !isUtf8(bytes)) return false;
    this.end = end;
    return true;
  }

  /**
   * The length of the prefix that surely needs no escape. Checks four bytes at once: the highest
   * bit of a byte marks values below 0x20, a quote, a backslash, or non-ASCII (a borrow may mark
   * one byte too many, never one too few).
   */
  private plainLength({ buffer, byteOffset, length }: Buffer): number {
    if (this.source.buffer !== buffer) this.source = new DataView(buffer);
    const { source } = this;
    let at = byteOffset;
    for (const last = byteOffset + length - 4; at <= last; at += 4) {
      const four = source.getInt32(at, true);
      const isQuote = (four ^ 0x22222222) - 0x01010101;
      const isBackslash = (four ^ 0x5c5c5c5c) - 0x01010101;
      if (((four | (four - 0x20202020) | isQuote | isBackslash) & 0x80808080) !== 0) break;
    }
    const end = byteOffset + length;
    while (at < end && isPlain(source.getUint8(at))) at += 1;
    return at - byteOffset;
  }

  /** The open piece, with room for `length` bytes at `end`. */
  private space(length: number): Buffer {
    if (this.end + length <= this.open.length) return this.open;
    if (this.end > 0) {
      this.closed.push(this.open.subarray(0, this.end));
      this.closedBytes += this.end;
    }
    const size = Math.min(Math.max(firstPieceBytes, this.open.length * 2), pieceBytes);
    this.open = Buffer.allocUnsafe(Math.max(size, length + frameBytes));
    this.end = 0;
    return this.open;
  }
}

/**
 * Writes the last digits of a number below a billion: V8 divides such integers without a division
 * instruction.
 */
function writeDigits(target: Buffer, start: number, end: number, value: number): void {
  let rest = value | 0;
  for (let at = end - 1; at >= start; at -= 1) {
    const tenth = (rest / 10) | 0;
    target[at] = zero + rest - tenth * 10;
    rest = tenth;
  }
}

function isPlain(byte: number): boolean {
  return byte < 0x80 && escapes[byte] === 0;
}

const none = Buffer.alloc(0);
