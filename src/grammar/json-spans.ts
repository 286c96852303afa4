/** Finds where parts of a JSON text lie in its bytes, without parsing or validating it. */
import {
  backslash,
  closeBrace,
  closeBracket,
  endOfString,
  openBrace,
  openBracket,
  quote,
} from './json.js';

/** A string of an object, including its quotes: bytes [start, end). */
export interface StringSpan {
  readonly start: number;
  readonly end: number;
}

/** The end of an object, and where its own strings lie; without those within its values. */
export interface ObjectSpan {
  /** The position behind its closing brace. */
  readonly end: number;
  readonly strings: readonly StringSpan[];
}

/** The object at `start`; null = the text ends within it. */
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

const comma = 0x2c;
const colon = 0x3a;

/**
 * The texts of the values of an object or array that is all of `text`, by name or index. Of values
 * with the same name, it has the last, as `JSON.parse` has.
 */
export function textsIn(text: string): ReadonlyMap<string, string> {
  const body = Buffer.from(text.trim());
  const texts = new Map<string, string>();
  let name: string | null = null;
  let depth = 0;
  let from = 1;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      at = endOfString(body, at);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    }
    const isEnd = depth === 0 || (depth === 1 && byte === comma);
    if (!isEnd && (depth !== 1 || byte !== colon)) continue;
    const part = body.toString('utf8', from, at).trim();
    from = at + 1;
    if (!isEnd) name = JSON.parse(part);
    else if (part !== '') texts.set(name ?? String(texts.size), part);
  }
  return texts;
}

const wordBytes = 4;

/** Whether there are bytes below 0x20, which JSON does not allow within strings. */
export function hasControls(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  const before = Math.min(length, (wordBytes - (byteOffset % wordBytes)) % wordBytes);
  const words = new Int32Array(buffer, byteOffset + before, (length - before) >> 2);
  let found = 0;
  // By index: an iterator takes three times as long.
  for (let index = 0; index < words.length; index += 1) {
    // The upper three bits of a byte below 0x20 are zero: this checks four bytes at once.
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

/** What a byte after a backslash stands for; 0 = it is not a single-letter escape. */
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
 * Decodes the strings of a JSON text to bytes, from left to right. Strings without escapes are
 * slices of the text; the others share one buffer, as they never get longer.
 */
export class StringBytes {
  /** Where the string read last ends: at its closing quote. */
  end = 0;
  /** The first backslash at or behind the position; -1 = unknown. */
  private escapedAt = -1;
  private unescaped: Buffer | null = null;
  private used = 0;

  /** The text must be UTF-8 without control characters. */
  constructor(private readonly text: Buffer) {}

  /** The string whose quote is at `start`; null = the text ends within it, or it must be parsed. */
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
