/** What the server answers, and the lists in it. Pure. */

/** An object as the API answers it: the documents of the protocol name its fields. */
export type ApiObject = Readonly<Record<string, unknown>>;

/** A list in an answer, or none. The server describes its items: they are not checked again. */
export function itemsIn<Item = ApiObject>(answer: ApiObject, field: string): readonly Item[] {
  const items = answer[field];
  return Array.isArray(items) ? items : [];
}
