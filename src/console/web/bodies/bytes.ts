/** Bodies that are not text: their bytes, and how they are shown. Pure. */

/** Decodes Base64. */
export function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const lineBytes = 16;
const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');

/** Sixteen bytes per line, in hexadecimal and as ASCII, like `xxd` and `hexdump -C`. */
export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; from += lineBytes) {
    const line = [...bytes.subarray(from, from + lineBytes)];
    const numbers = line.map((byte) => hex(byte, 2)).join(' ');
    const letters = line.map((byte) =>
      byte < 0x20 || byte > 0x7e ? '.' : String.fromCharCode(byte),
    );
    lines.push(`${hex(from, 6)}  ${numbers.padEnd(3 * lineBytes - 1)}  ${letters.join('')}`);
  }
  return lines.join('\n');
}
