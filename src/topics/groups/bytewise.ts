/** The order of names as bytes of UTF-8, which is how Kafka's tools order ids and topics. Pure. */

/** Half of a letter whose two units of UTF-16 are below some units that its bytes are above. */
const surrogate = /[\ud800-\udfff]/;

/** Whether a name may be compared as a text with others like it. */
export function isPlain(name: string): boolean {
  return !surrogate.test(name);
}

/** Below zero, zero or above it, as of every comparison. */
export function compareBytes(one: string, other: string): number {
  if (one === other) return 0;
  const order = Buffer.compare(Buffer.from(one), Buffer.from(other));
  // Halves of letters all have the bytes of a replacement character.
  if (order !== 0) return order;
  return one < other ? -1 : 1;
}

/** Sorted in place. */
export function bytewise(names: string[]): string[] {
  return names.every(isPlain) ? names.sort() : names.sort(compareBytes);
}
