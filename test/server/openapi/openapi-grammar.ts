/**
 * The part of OpenAPI 3.1 that this server uses: every field of the document must be one of these,
 * in the form that the specification defines.
 */
import { z } from 'zod';

/** A schema is JSON Schema 2020-12; errors in it show when a value is checked with it. */
const schema = z.record(z.string(), z.unknown());
const content = z.record(
  z.string().regex(/^[*\w.+-]+\/[*\w.+-]+$/),
  z.strictObject({
    schema: schema.optional(),
    example: z.unknown().optional(),
  }),
);

const parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['query', 'header', 'path']),
  required: z.boolean(),
  description: z.string().optional(),
  schema,
});

const header = z.strictObject({ description: z.string().min(1), schema });
const response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), header).optional(),
  content: content.optional(),
});
const reference = z.strictObject({ $ref: z.string().startsWith('#/components/responses/') });

const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]*$/),
  summary: z.string().regex(/^[A-Z].*[^.]$/),
  tags: z.tuple([z.string()]),
  parameters: z.array(parameter).min(1).optional(),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string().regex(/^([1-5]\d\d|default)$/), z.union([response, reference])),
  security: z.array(z.record(z.string(), z.array(z.string()))),
});

const methods = z.enum(['get', 'put', 'post', 'delete', 'head', 'patch', 'options']);

export const openapi = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.literal('Apache-2.0') }),
  }),
  servers: z.tuple([z.strictObject({ url: z.literal('/'), description: z.string() })]),
  tags: z.array(z.strictObject({ name: z.string(), description: z.string().min(1) })),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(methods, operation)),
  components: z.strictObject({
    securitySchemes: z.record(
      z.string(),
      z.strictObject({ type: z.literal('http'), scheme: z.enum(['bearer', 'basic']) }),
    ),
    responses: z.record(z.string(), response),
    schemas: z.record(z.string().regex(/^[A-Z][A-Za-z]+$/), schema),
  }),
});

export type Openapi = z.infer<typeof openapi>;
export type Operation = z.infer<typeof operation>;
