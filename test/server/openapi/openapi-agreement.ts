/** Compares an answer with what the OpenAPI document says about it. */
import { z } from 'zod';
import type { Openapi, Operation } from './openapi-grammar.js';

/** An answer whose body is JSON, or nothing. */
export interface AnsweredJson {
  readonly status: number;
  readonly json: unknown;
  /** Its `Stepwell-Durability`; null = none. */
  readonly promise: string | null;
}

/** What differs from the document, including fields that it does not name; empty = nothing. */
export function problemsOf(
  document: Openapi,
  method: string,
  path: string,
  { status, json, promise }: AnsweredJson,
): readonly unknown[] {
  // Only methods of the document are asked for.
  const operations = document.paths[path] as Record<string, Operation> | undefined;
  const responses = operations?.[method]?.responses;
  const described = responses?.[String(status)] ?? responses?.['default'];
  const found =
    described !== undefined && '$ref' in described
      ? document.components.responses[described.$ref.split('/').at(-1) ?? '']
      : described;
  if (found === undefined) return [`${status} is not described: ${JSON.stringify(json)}`];
  const saysPromise = found.headers !== undefined;
  if (saysPromise !== (promise !== null)) return [`durability: ${promise}`];
  const schema = found.content?.['application/json']?.schema;
  if (schema === undefined) return json === null ? [] : [`a body: ${JSON.stringify(json)}`];
  const { schemas } = document.components;
  const whole = JSON.stringify({ ...schema, $defs: schemas });
  const local = JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/'));
  const read = z.fromJSONSchema(strict(local) as never).safeParse(json);
  return read.error?.issues ?? [];
}

/** Objects with named fields have no other fields: an answer may contain nothing undescribed. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const fields = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, strict(value)]),
  );
  return 'properties' in fields ? { ...fields, additionalProperties: false } : fields;
}
