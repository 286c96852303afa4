/** Where parts of a JSON text lie in its bytes: found without parsing, and without judging it. */
import {
  backslash,
  closeBrace,
  closeBracket,
  endOfString,
  openBrace,
  openBracket,
  quote,
} from './json.js';

/** A string of an object, with its quotes: bytes [start, end). */
export interface StringSpan {
  readonly start: number;
  readonly end: number;
}

/** An object, and where its own strings lie; not those within its values. */
export interface ObjectSpan {
  /** Behind its last brace. */
  readonly end: number;
  readonly strings: readonly StringSpan[];
}

/** null = the text breaks off in it. */
export function objectAt(body: Buffer, start: number): ObjectSpan | null {
  const strings: StringSpan[] = [];
  let depth = 0;
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      const end = endOfString(body, at) + 1;
      if (depth === 1) strings.push({ start: at, end });
      at = end - 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return { end: at + 1, strings };
    }
  }
  return null;
}

const wordBytes = 4;

/** Whether there are bytes below 0x20, of which JSON has none within a string. */
export function hasControls(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  const before = Math.min(length, (wordBytes - (byteOffset % wordBytes)) % wordBytes);
  const words = new Int32Array(buffer, byteOffset + before, (length - before) >> 2);
  let found = 0;
  // By index: an iterator costs three times as much.
  for (let index = 0; index < words.length; index += 1) {
    // A byte below 0x20 has nothing in its upper three bits: four bytes are looked at at once.
    const upper = (words[index] ?? 0) & 0xe0e0e0e0;
    found |= (upper - 0x01010101) & ~upper;
  }
  const isControl = (byte: number) => byte < 0x20;
  const behind = before + words.length * wordBytes;
  return (
    (found & 0x80808080) !== 0 ||
    bytes.subarray(0, before).some(isControl) ||
    bytes.subarray(behind).some(isControl)
  );
}

/** What a byte behind a backslash stands for; 0 = it is no escape of one letter. */
const meanings = new Uint8Array(256);
for (const [letter, meaning] of Object.entries({
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
})) {
  meanings[letter.charCodeAt(0)] = meaning.charCodeAt(0);
}

/**
 * Strings of a JSON text as bytes, read from left to right. Those without escapes are parts of the
 * text; all others lie in one buffer, as they are never longer than they were.
 */
export class StringBytes {
  /** Where the string that was read last ends: at its quote. */
  end = 0;
  /** The first backslash that is not behind us; -1 = it has to be looked for. */
  private escapedAt = -1;
  private unescaped: Buffer | null = null;
  private used = 0;

  /** The text is UTF-8 without controls. */
  constructor(private readonly text: Buffer) {}

  /** The string whose quote is at `start`; null = it breaks off, or has to be parsed. */
  read(start: number): Buffer | null {
    const { text } = this;
    const from = start + 1;
    if (this.escapedAt < from) this.escapedAt = placeOf(backslash, text, from);
    this.end = placeOf(quote, text, from);
    if (this.end > this.escapedAt) return this.unescape(from);
    return this.end === text.length ? null : text.subarray(from, this.end);
  }

  private unescape(from: number): Buffer | null {
    const { text, escapedAt, used } = this;
    this.unescaped ??= Buffer.allocUnsafe(text.length - from);
    const { unescaped } = this;
    let to = used + text.copy(unescaped, used, from, escapedAt);
    for (let at = escapedAt; at < text.length; at += 1) {
      let byte = text[at] ?? 0;
      if (byte === quote) {
        this.end = at;
        this.used = to;
        return unescaped.subarray(used, to);
      }
      if (byte === backslash) {
        at += 1;
        byte = meanings[text[at] ?? 0] ?? 0;
        if (byte === 0) return null;
      }
      unescaped[to] = byte;
      to += 1;
    }
    return null;
  }
}

function placeOf(byte: number, bytes: Buffer, from: number): number {
  const place = bytes.indexOf(byte, from);
  return place === -1 ? bytes.length : place;
}
