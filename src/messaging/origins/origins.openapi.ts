/** How the routes of origins are described (messaging.md 4.8). */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';

const milliseconds = z.int().describe('Unix milliseconds');

const origin = z.object({
  origin: z.string().describe('Scheme, host and port'),
  inFlight: z.int().describe('Attempts under way'),
  limit: z.int().describe('Attempts at once, where nothing else is under way'),
  succeeded: z.int().describe('Attempts answered 2xx, of the last 24 hours of this process'),
  failed: z.int().describe('All others that have ended'),
  lastAt: milliseconds.nullable(),
  lastFailure: z
    .object({ at: milliseconds, status: z.int(), error: z.string().nullable() })
    .nullable()
    .describe('Status 0 = there was no response'),
  refused: z.string().nullable().describe('Why it may not be called by its address; null = it may'),
});

export type OriginObject = z.output<typeof origin>;

/** The body of `POST /admin/reach`. */
export const reachSchema = z.strictObject({
  url: z.string().describe('A destination'),
  head: z.boolean().optional().describe('true: one HEAD is sent to it'),
});

const verdict = z.object({
  url: z.string(),
  allowed: z.boolean(),
  reason: z.string().describe('Why it is not').exactOptional(),
  addresses: z.array(z.string()).describe('Where its host leads'),
  head: z
    .object({ status: z.int(), durationMs: z.int(), error: z.string().exactOptional() })
    .exactOptional(),
});

export const originRoutes = {
  list: {
    summary: 'The origins that are called, those called last first',
    answers: { 200: { description: 'At most 1,024', schema: z.array(origin) } },
  },
  reach: {
    summary: 'Whether a destination may be called, and whether it answers',
    changes: false,
    body: { isRequired: true, schema: reachSchema },
    answers: { 200: { description: 'The same judgement as of every attempt', schema: verdict } },
  },
} satisfies Record<string, RouteDescription>;
