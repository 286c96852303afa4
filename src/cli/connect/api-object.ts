/** Objects that the server answers, and the lists in them. Pure. */

/** An object as the API answers it; the protocol documents describe its fields. */
export type ApiObject = Readonly<Record<string, unknown>>;

/**
 * A list in an answer, empty if there is none. The server defines the items: they are not checked
 * again.
 */
export function itemsIn<Item = ApiObject>(answer: ApiObject, field: string): readonly Item[] {
  const items = answer[field];
  return Array.isArray(items) ? items : [];
}
