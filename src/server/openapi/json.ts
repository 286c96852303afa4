/** JSON as its specification defines it. */

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** An object with any fields, for reading and writing; the document consists of these. */
export type JsonObject = Record<string, Json>;

/** Whether the value is an object (arrays are not). */
export function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** The fields of an object; empty for any other value. */
export function fieldsOf(json: Json | undefined): JsonObject {
  return isObject(json) ? json : {};
}
