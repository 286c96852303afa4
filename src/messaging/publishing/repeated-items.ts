/**
 * Clients write the items of a batch in the same form, and usually only the bodies differ. Items
 * that repeat the bytes of the first one around their bodies are not parsed, and their bodies are
 * not copied (ADR 87). Unusual or malformed items are not refused here: they are left to the
 * ordinary parser. Pure.
 */
import { isUtf8 } from 'node:buffer';
import { backslash, parseJson } from '../../grammar/json.js';
import { hasControls, objectAt, StringBytes } from '../../grammar/json-spans.js';

/** An item that says the same as the first item of its batch, apart from its body. */
export class RepeatedItem {
  constructor(
    readonly first: unknown,
    /** A slice of the request's bytes, or of the buffer that its bodies were unescaped to. */
    readonly body: Buffer,
  ) {}
}

/** Below this size, parsing the batch is just as fast. */
const bytesMin = 4096;

const opened = Buffer.from('[');
const closed = Buffer.from(']');
const blank = 0x20;
const comma = 0x2c;
const colon = 0x3a;
const bodyKey = Buffer.from('"body"');

/**
 * The items of a batch whose second item repeats the first. The items after the first are
 * `RepeatedItem`s until one does not repeat it; all others are parsed values. null = the batch must
 * be parsed as ordinary JSON.
 */
export function repeatedItems(bytes: Buffer): readonly unknown[] | null {
  if (bytes.length < bytesMin || bytes[0] !== opened[0]) return null;
  const form = formOf(bytes);
  if (form === null || !standsAt(bytes, form.next, form.before)) return null;
  // Strings that are not parsed are valid if they contain nothing that JSON forbids.
  if (!isUtf8(bytes) || hasControls(bytes)) return null;
  const first = valuesOf([opened, bytes.subarray(1, form.end), closed]);
  return first === null ? null : repeating(bytes, form, first[0]);
}

/**
 * The part that repeats: the bytes before a body, with its opening quote, and those after the body,
 * from its closing quote.
 */
interface ItemForm {
  readonly before: Buffer;
  readonly behind: Buffer;
  /** Offset at which the first item ends. */
  readonly end: number;
  /** Offset at which the second item begins. */
  readonly next: number;
}

/** The form of the first item, if it is an object with one body and is not the last item. */
function formOf(bytes: Buffer): ItemForm | null {
  const item = objectAt(bytes, 1);
  if (item === null || bytes[item.end] !== comma) return null;
  const { end, strings } = item;
  let body = -1;
  for (const [index, { start, end: keyEnd }] of strings.entries()) {
    if (bytes[behindBlanks(bytes, keyEnd)] !== colon) continue;
    // An escaped key may also spell "body", and of two equal keys the last one counts.
    if (bytes.subarray(start, keyEnd).includes(backslash)) return null;
    if (!standsAt(bytes, start, bodyKey)) continue;
    if (body !== -1) return null;
    body = index + 1;
  }
  const name = strings[body - 1];
  const value = strings[body];
  // If the value were not a string, it would stand between the key and the next string.
  if (name === undefined || value === undefined) return null;
  if (behindBlanks(bytes, behindBlanks(bytes, name.end) + 1) !== value.start) return null;
  const before = bytes.subarray(1, value.start + 1);
  const behind = bytes.subarray(value.end - 1, end);
  return { before, behind, end, next: behindBlanks(bytes, end + 1) };
}

function repeating(bytes: Buffer, form: ItemForm, first: unknown): readonly unknown[] | null {
  const { before, behind } = form;
  const bodies = new StringBytes(bytes);
  const items: unknown[] = [first];
  let at = form.next;
  while (standsAt(bytes, at, before)) {
    const body = bodies.read(at + before.length - 1);
    if (body === null) return null;
    if (!standsAt(bytes, bodies.end, behind)) break;
    items.push(new RepeatedItem(first, body));
    at = bodies.end + behind.length;
    if (bytes[at] === closed[0]) return at + 1 === bytes.length ? items : null;
    if (bytes[at] !== comma) return null;
    at = behindBlanks(bytes, at + 1);
  }
  const others = valuesOf([opened, bytes.subarray(at)]);
  return others === null || others.length === 0 ? null : items.concat(others);
}

/** The values of the JSON list in these parts; null = the parts are not a list. */
function valuesOf(parts: readonly Buffer[]): readonly unknown[] | null {
  const json = parseJson(Buffer.concat(parts));
  return json.ok && Array.isArray(json.value) ? json.value : null;
}

function standsAt(bytes: Buffer, at: number, part: Buffer): boolean {
  const end = at + part.length;
  return end <= bytes.length && bytes.compare(part, 0, part.length, at, end) === 0;
}

function behindBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === blank) at += 1;
  return at;
}
