/** The texts of a record on their way into its bytes: ids, terms, names. */

/** Up to this a loop costs less than the call of what is native. */
const shortText = 64;

/** Writes a text as UTF-8, and says how many bytes it has. Most are short and ASCII. */
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
