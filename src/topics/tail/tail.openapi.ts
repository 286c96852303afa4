/** The OpenAPI description of the tail of a topic (topics.md 3.4). */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';

/** The route `GET /tail/{topic}`. */
export const tailRoute: RouteDescription = {
  path: '/tail/{topic}',
  summary: 'Follow a topic without a group',
  query: () =>
    z.object({
      from: z
        .string()
        .describe('newest (default), newest-50, earliest, an offset, Unix milliseconds or a date')
        .optional(),
      partition: z.int().describe('One of them; default all').optional(),
      key: z.string().describe('Records with this key').optional(),
      contains: z.string().describe('Records in whose value this stands').optional(),
    }),
  headers: () =>
    z.object({
      'Last-Event-ID': z.string().describe('The stream goes on behind this event').optional(),
      'Stream-Encoding': z.enum(['text', 'base64']).optional(),
    }),
  answers: {
    200: { description: 'Server-sent events: a record each', contentType: 'text/event-stream' },
  },
};
