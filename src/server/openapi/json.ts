/** JSON as the specification draws it. */

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Fields of any number, to be read and written; parts of the document are made of them. */
export type JsonObject = Record<string, Json>;

/** Whether it is an object; a list is none. */
export function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** The fields of an object; what is none has none. */
export function fieldsOf(json: Json | undefined): JsonObject {
  return isObject(json) ? json : {};
}
