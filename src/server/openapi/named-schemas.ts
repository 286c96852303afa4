/**
 * Converts schemas to JSON Schema 2020-12, the dialect of OpenAPI 3.1. Schemas with an `id` are
 * written once, under `components`, and referenced by it.
 */
import { z } from 'zod';
import type { JsonObject } from './json.js';

/** JSON of a request or of an answer: fields with defaults are optional in requests. */
export type Direction = 'input' | 'output';

/** Created for one document. Throws if two different schemas have the same `id`. */
export class NamedSchemas {
  private readonly known = new Map<string, string>();

  /** The JSON Schema, with references to `components`. */
  of(schema: z.ZodType, io: Direction): JsonObject {
    const wrapped = z.object({ schema: schema.optional() });
    const written = z.toJSONSchema(wrapped, {
      target: 'draft-2020-12',
      io,
      override: ({ jsonSchema }) => limitNumber(jsonSchema, io),
    });
    const text = JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { properties, $defs = {} } = JSON.parse(text) as {
      readonly properties: { readonly schema: JsonObject };
      readonly $defs?: Readonly<Record<string, JsonObject>>;
    };
    for (const [name, definition] of Object.entries($defs)) this.add(name, definition);
    return properties.schema;
  }

  /** All schemas that were referenced, by name. */
  get components(): JsonObject {
    const sorted = [...this.known].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, text]) => [name, JSON.parse(text) as JsonObject]));
  }

  private add(name: string, { id: _, ...definition }: JsonObject): void {
    const text = JSON.stringify(definition);
    const known = this.known.get(name) ?? text;
    if (known !== text) throw new Error(`two schemas are called ${name}`);
    this.known.set(name, text);
  }
}

/**
 * Zod gives every whole number the limits of a double. They mean nothing here: the server refuses a
 * negative number unless its schema has another minimum, and an answer needs no limits.
 */
function limitNumber(schema: z.core.JSONSchema.BaseSchema, io: Direction): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) {
    if (io === 'input') schema.minimum = 0;
    else delete schema.minimum;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
