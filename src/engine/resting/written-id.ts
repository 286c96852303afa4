/** Ids among the bytes of streams that rest. */

/** Of UTF-8, for one unit of a string. */
const bytesOfUnitMax = 3;

/** Bytes that an id may take at most. */
export function idBytesMax(id: string): number {
  return id.length * bytesOfUnitMax;
}

/**
 * Writes an id as UTF-8, and says how many bytes it has: most are short and ASCII, and written in
 * less than a native call takes.
 */
export function writeId(bytes: Buffer, start: number, id: string): number {
  for (let index = 0; index < id.length; index += 1) {
    const code = id.charCodeAt(index);
    if (code > 0x7f) return bytes.write(id, start);
    bytes[start + index] = code;
  }
  return id.length;
}
