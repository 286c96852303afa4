/** The OpenAPI 3.1 document, generated from the descriptions of the routes. Pure. */
import { z } from 'zod';
import { version } from '../../grammar/version.js';
import { dialects } from '../../http/dialect.js';
import { isMessagingPath } from '../../http/error-shapes.js';
import type { AnswerDescription, RouteDescription } from '../../http/routes/route-description.js';
import type { TabledRoute } from '../../http/routes/route-table.js';
import { saysDurability } from '../../http/routes/shown-durability.js';
import { withAnswerExamples } from './answer-examples.js';
import type { Json, JsonObject } from './json.js';
import { NamedSchemas } from './named-schemas.js';
import { refusalsOf } from './refusals.js';
import { tagOf, tags } from './tags.js';

const messagingRefusal = z.object({ error: z.string() }).meta({ id: 'MessagingError' });
const damaged = 'The next records are damaged; continue reading at nextGoodOffset';
const logRefusal = z
  .object({
    error: z.string(),
    status: z.int(),
    code: z.literal('DATA_DAMAGED').describe(damaged).optional(),
    topic: z
      .string()
      .describe('The topic in which the problem is; for a 416 and for DATA_DAMAGED')
      .optional(),
    partition: z.int().optional(),
    earliest: z.int().describe('For a 416: the first offset that can be read').optional(),
    latest: z.int().optional(),
    lastGoodOffset: z.int().nullable().describe('For DATA_DAMAGED; null = none').optional(),
    nextGoodOffset: z.int().optional(),
  })
  .meta({ id: 'LogError' });

/** The parameter of every route that can show the past (messaging.md 1.8). */
const asOfField = z
  .string()
  .describe(
    'Shows the state at this time: an offset of the journal, Unix milliseconds or an ISO 8601 date',
  );

const bearer = 'bearer';
const basic = 'basic';

const introduction = `Durable HTTP messages, durable workflows and partitioned log topics.

Below \`/v2\` a bearer token is the credential; elsewhere a username and a password, or a token
that was made. Refusals have one shape for each of the two.

**Two dialects.** Header names are written here as \`Svc-...\` and \`Stream-...\`;
\`Upstash-...\` and \`Kafka-...\` are the same headers in the words of published clients, at any
time and on every route.`;

/** The document of all routes that have a description. */
export function openapiDocument(routes: readonly TabledRoute[]): JsonObject {
  const schemas = new NamedSchemas();
  const paths: Record<string, JsonObject> = {};
  for (const { method, pattern, description } of routes) {
    if (description === null) continue;
    const path = documentedPath(pattern, description);
    const operations = paths[path] ?? {};
    const security = securityOf(pattern, description);
    operations[method.toLowerCase()] = operationOf(schemas, path, method, description, security);
    paths[path] = operations;
  }
  const sorted = Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1));
  const responses = {
    MessagingRefusal: answerOf(schemas, { description: 'Refused', schema: () => messagingRefusal }),
    LogRefusal: answerOf(schemas, { description: 'Refused', schema: () => logRefusal }),
  };
  const { components } = schemas;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stepwell',
      version,
      description: introduction,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that answers this document' }],
    tags: tags.map((tag) => ({ ...tag })),
    paths: withAnswerExamples(Object.fromEntries(sorted), components),
    components: { securitySchemes, responses, schemas: components },
  };
}

const securitySchemes: JsonObject = {
  [bearer]: { type: 'http', scheme: 'bearer' },
  [basic]: { type: 'http', scheme: 'basic' },
};

/** A header in the answer to every write (messaging.md 1.1). */
const acknowledgement: JsonObject = {
  'Stepwell-Durability': {
    description:
      'fsync: on disk; os: in the operating system; replicated: in the shared log of the cluster',
    schema: { type: 'string', enum: ['fsync', 'os', 'replicated'] },
  },
};

/** `/v2/queues/:name` as `/v2/queues/{name}`. */
function documentedPath(pattern: string, description: RouteDescription): string {
  const path = description.path ?? pattern.replace(/:(\w+)(\([^)]*\))?/g, '{$1}');
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

/** The credentials that a route requires: none, or those of its interface. */
function securityOf(pattern: string, { access }: RouteDescription): Json {
  if (access !== undefined) return [];
  const asBearer = { [bearer]: [] };
  return isMessagingPath(pattern) ? [asBearer] : [{ [basic]: [] }, asBearer];
}

function operationOf(
  schemas: NamedSchemas,
  path: string,
  method: string,
  description: RouteDescription,
  security: Json,
): JsonObject {
  const { summary, access, query, headers, body, answers } = description;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name)),
    ...parametersOf(schemas, 'query', query?.()),
    ...(description.asOf === true ? parametersOf(schemas, 'query', asOfQuery) : []),
    ...parametersOf(schemas, 'header', headers?.()),
  ];
  const promise = saysDurability(method, description) ? { headers: acknowledgement } : {};
  const described = Object.entries(answers).map(([status, answer]) => {
    return [status, { ...answerOf(schemas, answer), ...promise }];
  });
  const shape = isMessagingPath(path) ? 'MessagingRefusal' : 'LogRefusal';
  const refusal = { $ref: `#/components/responses/${shape}` };
  const error = isMessagingPath(path) ? messagingRefusal : logRefusal;
  const refusals = refusalsOf(path, description).map(([status, meaning]) => [
    status,
    answerOf(schemas, { description: meaning, schema: () => error }),
  ]);
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tagOf(path)],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: body.isRequired,
        content:
          body.schema === undefined
            ? { '*/*': {} }
            : { 'application/json': jsonOf(schemas, body.schema(), body.example) },
      },
    }),
    responses: {
      ...Object.fromEntries(refusals),
      ...Object.fromEntries(described),
      ...(access !== 'open' && { default: refusal }),
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

const asOfQuery = z.object({ asOf: asOfField.optional() });

function parametersOf(
  schemas: NamedSchemas,
  place: 'query' | 'header',
  fields: z.ZodObject | undefined,
): JsonObject[] {
  if (fields === undefined) return [];
  return Object.entries<z.ZodType>(fields.shape).map(([name, field]) => {
    const described = [field.description, otherDialect(name)].filter((each) => each !== undefined);
    return {
      name,
      in: place,
      required: !field.isOptional(),
      ...(described.length > 0 && { description: described.join('. ') }),
      schema: schemas.of(field, 'input'),
    };
  });
}

/** The spelling of an option header by the published clients; undefined if it is not one. */
function otherDialect(name: string): string | undefined {
  const { svc, upstash } = dialects;
  for (const prefix of ['messagePrefix', 'logPrefix'] as const) {
    if (!name.startsWith(svc[prefix])) continue;
    return `Also ${upstash[prefix]}${name.slice(svc[prefix].length)}`;
  }
  return undefined;
}

function answerOf(
  schemas: NamedSchemas,
  { description, schema, contentType, alternatives = [] }: AnswerDescription,
): JsonObject {
  const content: JsonObject = {};
  if (schema !== undefined) {
    content[contentType ?? 'application/json'] = { schema: schemas.of(schema(), 'output') };
  } else if (contentType !== undefined) content[contentType] = {};
  for (const other of alternatives) content[other] = {};
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

function jsonOf(schemas: NamedSchemas, schema: z.ZodType, example: Json | undefined): JsonObject {
  return { schema: schemas.of(schema, 'input'), ...(example !== undefined && { example }) };
}
