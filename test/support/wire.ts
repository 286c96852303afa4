import type { StoredText } from '../../src/http/bytes/stored-text.js';

type Wire<Value> = Value extends StoredText
  ? string
  : Value extends object
    ? { readonly [Name in keyof Value]: Wire<Value[Name]> }
    : Value;

/** What a client reads of a value that it is answered as JSON. */
export function wire<Value>(value: Value): Wire<Value> {
  return JSON.parse(JSON.stringify(value));
}
