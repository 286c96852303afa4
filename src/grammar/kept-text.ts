/** Texts that memory keeps when the event that brought them has been forgotten. */

/**
 * The same text, on its own: what is read of an event is a slice of all its texts, and would keep
 * them alive.
 */
export function keptText(text: string): string {
  return Buffer.from(text).toString();
}
