/** Orders names by their UTF-8 bytes, as Kafka's tools order ids and topics. Pure. */

/** A surrogate. Characters outside the BMP sort differently by UTF-16 units than by UTF-8 bytes. */
const surrogate = /[\ud800-\udfff]/;

/** Whether a name may be compared with other such names as a string. */
export function isPlain(name: string): boolean {
  return !surrogate.test(name);
}

/** Compares two names by their UTF-8 bytes: negative, zero or positive. */
export function compareBytes(one: string, other: string): number {
  if (one === other) return 0;
  const order = Buffer.compare(Buffer.from(one), Buffer.from(other));
  // All lone surrogates are encoded as the same replacement character.
  if (order !== 0) return order;
  return one < other ? -1 : 1;
}

/** Sorts names in place by their UTF-8 bytes. */
export function bytewise(names: string[]): string[] {
  return names.every(isPlain) ? names.sort() : names.sort(compareBytes);
}
