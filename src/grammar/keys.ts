/** Tables whose fields are those of their type and no others. Pure. */

/** The names in a table, in their order, as its type has them: `Object.keys` gives texts. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(table) as Key[];
}
