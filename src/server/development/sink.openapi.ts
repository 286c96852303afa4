/** Descriptions of the sink routes, which only `stepwell dev` has (administration.md 5). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { SinkRequest } from './sink.js';

const request = once(() =>
  z
    .object({
      number: z.int().describe('Increases with each request since the server started'),
      at: z.int().describe('Unix milliseconds'),
      method: z.string(),
      path: z.string(),
      status: z.int().describe('Status of the answer'),
      headers: z.array(z.tuple([z.string(), z.string()])).describe('Names and values, as received'),
      body: z.string().describe('The first 16 KiB of the body'),
      isBase64: z.boolean().describe('Whether `body` is Base64 because it is not text'),
      bodyBytes: z.int().describe('Size of the whole body'),
    } satisfies Record<keyof SinkRequest, z.ZodType>)
    .meta({ id: 'SinkRequest' }),
);

const took = once(() => z.object({ requests: z.array(request()) }));

/**
 * The routes that receive requests (`/sink`), and those that show what was received
 * (`/admin/sink`).
 */
export const sinkRoutes = {
  take: {
    summary: 'A destination on the development server itself, which answers 200',
    access: 'path',
    answers: {
      200: { description: 'The request was recorded', schema: () => z.object({ number: z.int() }) },
    },
  },
  takeWith: {
    summary: 'Like /sink, but answers with the status in the path',
    access: 'path',
    refuses: [404],
    answers: {
      200: { description: 'The request was recorded', schema: () => z.object({ number: z.int() }) },
    },
  },
  list: {
    summary: 'List the requests that the sink of a development server has received',
    isLong: true,
    answers: { 200: { description: 'The last 50 requests, newest first', schema: took } },
  },
  clear: {
    summary: 'Clear the requests that the sink has received',
    answers: { 200: { description: 'The sink is empty', schema: took } },
  },
} satisfies Record<string, RouteDescription>;
