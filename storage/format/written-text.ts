/** Texts as UTF-8 where most are short and ASCII: names, keys, ids. */

/** Up to this a loop costs less than the call of what is native. */
const shortText = 64;

/** Of UTF-8, for one unit of a string. */
const bytesOfUnitMax = 3;

/** Bytes that a text may take at most. */
export function textBytesMax(text: string): number {
  return text.length * bytesOfUnitMax;
}

/** Writes a text at `start`, and says how many bytes it has. */
export function writeText(target: Buffer, start: number, text: string): number {
  const { length } = text;
  if (length > shortText) return target.write(text, start);
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return target.write(text, start);
    target[start + index] = code;
  }
  return length;
}
