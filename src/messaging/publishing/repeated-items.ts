/**
 * Clients write the items of a batch alike, and mostly they differ in nothing but their bodies.
 * Those that repeat the bytes of the first one around their bodies are not parsed, and their bodies
 * are not copied (ADR 87). What is unusual or malformed is not refused here, but not known. Pure.
 */
import { isUtf8 } from 'node:buffer';
import { backslash, parseJson } from '../../grammar/json.js';
import { hasControls, objectAt, StringBytes } from '../../grammar/json-spans.js';

/** An item that says what the first one of its batch says, beside its body. */
export class RepeatedItem {
  constructor(
    readonly first: unknown,
    /** A part of the request's bytes, or of those that its bodies were unescaped to. */
    readonly body: Buffer,
  ) {}
}

/** A shorter batch is parsed as fast. */
const bytesMin = 4096;

const opened = Buffer.from('[');
const closed = Buffer.from(']');
const blank = 0x20;
const comma = 0x2c;
const colon = 0x3a;
const bodyKey = Buffer.from('"body"');

/**
 * The items of a batch whose second one repeats the first: of those that follow until one does not,
 * `RepeatedItem`s, of all others the values. null = the batch is to be parsed as every JSON.
 */
export function repeatedItems(bytes: Buffer): readonly unknown[] | null {
  if (bytes.length < bytesMin || bytes[0] !== opened[0]) return null;
  const form = formOf(bytes);
  if (form === null || !standsAt(bytes, form.next, form.before)) return null;
  // Strings that are not parsed are right if nothing stands in them that no JSON has.
  if (!isUtf8(bytes) || hasControls(bytes)) return null;
  const first = valuesOf([opened, bytes.subarray(1, form.end), closed]);
  return first === null ? null : repeating(bytes, form, first[0]);
}

/** What repeats: the bytes around a body, up to its quotes and from them on. */
interface ItemForm {
  readonly before: Buffer;
  readonly behind: Buffer;
  /** Where the first item ends. */
  readonly end: number;
  /** Where the second one begins. */
  readonly next: number;
}

/** That of the first item, where it is an object with one body, and not the last one. */
function formOf(bytes: Buffer): ItemForm | null {
  const item = objectAt(bytes, 1);
  if (item === null || bytes[item.end] !== comma) return null;
  const { end, strings } = item;
  let body = -1;
  for (const [index, { start, end: keyEnd }] of strings.entries()) {
    if (bytes[behindBlanks(bytes, keyEnd)] !== colon) continue;
    // A name may be written in other ways, and the last of two equal ones counts.
    if (bytes.subarray(start, keyEnd).includes(backslash)) return null;
    if (!standsAt(bytes, start, bodyKey)) continue;
    if (body !== -1) return null;
    body = index + 1;
  }
  const name = strings[body - 1];
  const value = strings[body];
  // Another value than a string would stand between the name and the string that is next.
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

/** The values of a list whose text lies in these parts; null = they are none. */
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
