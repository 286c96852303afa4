/** Descriptions of the sink routes, which only `stepwell dev` has (administration.md 5). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { SinkRequest } from './sink.js';

const request = once(() =>
  z
    .object({
      number: z.int().describe('Rises with each request since the server started'),
      at: z.int().describe('Unix milliseconds'),
      method: z.string(),
      path: z.string(),
      status: z.int().describe('What it was answered'),
      headers: z
        .array(z.tuple([z.string(), z.string()]))
        .describe('Names and values, as they came'),
      body: z.string().describe('The first 16 KiB of it'),
      isBase64: z.boolean().describe('Whether `body` is Base64, as it is no text'),
      bodyBytes: z.int().describe('Of the whole body'),
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
    summary: 'A destination of the development server itself: it answers 200',
    access: 'path',
    answers: { 200: { description: 'It is taken', schema: () => z.object({ number: z.int() }) } },
  },
  takeWith: {
    summary: 'The same, answering with the status that the path names',
    access: 'path',
    refuses: [404],
    answers: { 200: { description: 'It is taken', schema: () => z.object({ number: z.int() }) } },
  },
  list: {
    summary: 'What the sink of a development server has taken',
    isLong: true,
    answers: { 200: { description: 'The last 50, the newest first', schema: took } },
  },
  clear: {
    summary: 'Forget what the sink has taken',
    answers: { 200: { description: 'It holds nothing', schema: took } },
  },
} satisfies Record<string, RouteDescription>;
