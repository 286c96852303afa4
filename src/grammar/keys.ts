/** Tables that have exactly the fields of their type. Pure. */

/** The names in a table, in order and typed: `Object.keys` returns plain strings. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[];
}
