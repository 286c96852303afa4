/** The OpenAPI 3.1 document, made of what the routes say of themselves. Pure. */
import { z } from 'zod';
import { version } from '../../grammar/version.js';
import { isMessagingPath } from '../../http/error-shapes.js';
import type { AnswerDescription, RouteDescription } from '../../http/routes/route-description.js';
import type { TabledRoute } from '../../http/routes/route-table.js';

/** JSON as the specification draws it. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };
type JsonObject = Record<string, Json>;

const messagingRefusal = z.object({ error: z.string() });
const damaged = 'Records in the way are damaged: reading goes on at nextGoodOffset';
const logRefusal = z.object({
  error: z.string(),
  status: z.int(),
  code: z.literal('DATA_DAMAGED').describe(damaged).optional(),
  topic: z.string().describe('Where it is, of a 416 and of DATA_DAMAGED').optional(),
  partition: z.int().optional(),
  earliest: z.int().describe('Of a 416: what can be read').optional(),
  latest: z.int().optional(),
  lastGoodOffset: z.int().nullable().describe('Of DATA_DAMAGED; null = none').optional(),
  nextGoodOffset: z.int().optional(),
});

/** What every route takes that can show what was (messaging.md 1.8). */
const asOfField = z
  .string()
  .describe('As it was: an offset of the journal, Unix milliseconds or a date of ISO 8601');

const bearer = 'bearer';
const basic = 'basic';

/** The document of the routes that describe themselves. */
export function openapiDocument(routes: readonly TabledRoute[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const { method, pattern, description } of routes) {
    if (description === null) continue;
    const path = documentedPath(pattern, description);
    const operations = paths[path] ?? {};
    const security = securityOf(pattern, description);
    operations[method.toLowerCase()] = operationOf(path, method, description, security);
    paths[path] = operations;
  }
  const sorted = Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stepwell',
      version,
      description: 'Durable HTTP messages and partitioned log topics.',
    },
    paths: Object.fromEntries(sorted),
    components: { securitySchemes, responses },
  };
}

const securitySchemes: JsonObject = {
  [bearer]: { type: 'http', scheme: 'bearer' },
  [basic]: { type: 'http', scheme: 'basic' },
};

const responses: JsonObject = {
  MessagingRefusal: answerOf({ description: 'Refused', schema: messagingRefusal }),
  LogRefusal: answerOf({ description: 'Refused', schema: logRefusal }),
};

/** What the head of every answer to a write says (messaging.md 1.1). */
const acknowledgement: JsonObject = {
  'Stepwell-Durability': {
    description: 'fsync: it is on disk; os: the operating system has it',
    schema: { type: 'string', enum: ['fsync', 'os'] },
  },
};

/** `/v2/queues/:name` as `/v2/queues/{name}`. */
export function documentedPath(pattern: string, description: RouteDescription): string {
  const path = description.path ?? pattern.replace(/:(\w+)(\([^)]*\))?/g, '{$1}');
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

/** What a route asks for: nothing, or the credentials of its interface. */
function securityOf(pattern: string, { access }: RouteDescription): Json {
  if (access !== undefined) return [];
  const asBearer = { [bearer]: [] };
  return isMessagingPath(pattern) ? [asBearer] : [{ [basic]: [] }, asBearer];
}

function operationOf(
  path: string,
  method: string,
  description: RouteDescription,
  security: Json,
): JsonObject {
  const { summary, access, query, headers, body, answers } = description;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name)),
    ...parametersOf('query', query),
    ...(description.asOf === true ? asOfParameters : []),
    ...parametersOf('header', headers),
  ];
  const promise = method === 'GET' || access === 'open' ? {} : { headers: acknowledgement };
  const described = Object.entries(answers).map(([status, answer]) => {
    return [status, { ...answerOf(answer), ...promise }];
  });
  const refusal = isMessagingPath(path) ? 'MessagingRefusal' : 'LogRefusal';
  return {
    operationId: operationId(method, path),
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: body.isRequired,
        content:
          body.schema === undefined
            ? { '*/*': {} }
            : { 'application/json': { schema: schemaOf(body.schema, 'input') } },
      },
    }),
    responses: {
      ...Object.fromEntries(described),
      ...(access !== 'open' && { default: { $ref: `#/components/responses/${refusal}` } }),
    },
    security,
  };
}

/** `GET /v2/queues/{name}` as `getV2QueuesName`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return [
    method.toLowerCase(),
    ...words.map((word) => word[0]?.toUpperCase() + word.slice(1)),
  ].join('');
}

function pathParameter(name: string): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

const asOfParameters = parametersOf('query', z.object({ asOf: asOfField.optional() }));

function parametersOf(place: 'query' | 'header', fields: z.ZodObject | undefined): JsonObject[] {
  if (fields === undefined) return [];
  return Object.entries(fields.shape as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    in: place,
    required: !field.isOptional(),
    ...(field.description !== undefined && { description: field.description }),
    schema: schemaOf(field, 'input'),
  }));
}

function answerOf({ description, schema, contentType }: AnswerDescription): JsonObject {
  const content =
    schema === undefined
      ? contentType && { [contentType]: {} }
      : { [contentType ?? 'application/json']: { schema: schemaOf(schema, 'output') } };
  return { description, ...(content && { content }) };
}

/** JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...fields } = z.toJSONSchema(schema, { target: 'draft-2020-12', io });
  return JSON.parse(JSON.stringify(fields)) as JsonObject;
}
