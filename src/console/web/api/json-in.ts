/** Reads JSON in the browser, where it does not matter why it cannot be read. Pure. */

/** The value of a JSON text; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
