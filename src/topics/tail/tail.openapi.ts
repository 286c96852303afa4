/** The OpenAPI description of the tail of a topic (topics.md 3.4). */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';

/** The route `GET /tail/{topic}`. */
export const tailRoute: RouteDescription = {
  path: '/tail/{topic}',
  summary: 'Follow the records of a topic without a group',
  query: () =>
    z.object({
      from: z
        .string()
        .describe('newest (default), newest-50, earliest, an offset, Unix milliseconds or a date')
        .optional(),
      partition: z.int().describe('One partition; default all').optional(),
      key: z.string().describe('Only records with this key').optional(),
      contains: z.string().describe('Only records whose value contains this text').optional(),
    }),
  headers: () =>
    z.object({
      'Last-Event-ID': z.string().describe('The stream continues after this event').optional(),
      'Stream-Encoding': z.enum(['text', 'base64']).optional(),
    }),
  answers: {
    200: { description: 'Server-sent events, one per record', contentType: 'text/event-stream' },
  },
};
