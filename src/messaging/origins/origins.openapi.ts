/** Describes the routes of origins (messaging.md 4.8). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { originSchema } from './origin.request.js';

const milliseconds = once(() => z.int().describe('Unix milliseconds'));

/** The last failed attempt to an origin. */
export const originFailureSchema = once(() =>
  z
    .object({ at: milliseconds(), status: z.int(), error: z.string().nullable() })
    .describe('Status 0 = there was no response')
    .meta({ id: 'OriginFailure' }),
);

const origin = once(() =>
  z
    .object({
      origin: z.string().describe('Scheme, host and port'),
      inFlight: z.int().describe('Attempts under way'),
      limit: z.int().describe('Attempts at once, where nothing else is under way'),
      succeeded: z.int().describe('Attempts answered 2xx, of the last 24 hours of this process'),
      failed: z.int().describe('All others that have ended'),
      lastAt: milliseconds().nullable(),
      lastFailure: originFailureSchema().nullable(),
      refused: z
        .string()
        .nullable()
        .describe('Why it may not be called by its address; null = it may'),
      pausedAt: milliseconds().nullable().describe('Since when it is paused; null = it is not'),
    })
    .meta({ id: 'Origin' }),
);

const pause = once(() => z.object({ origin: z.string(), pausedAt: milliseconds().nullable() }));

/** One item of the answer to `GET /admin/origins`. */
export type OriginObject = z.output<ReturnType<typeof origin>>;

/** The body of `POST /admin/reach`. */
export const reachSchema = once(() =>
  z.strictObject({
    url: z.string().describe('A destination'),
    head: z.boolean().optional().describe('true: one HEAD is sent to it'),
  }),
);

const verdict = once(() =>
  z.object({
    url: z.string(),
    allowed: z.boolean(),
    reason: z.string().describe('Why it is not').exactOptional(),
    setting: z.string().describe('The setting that could allow it').exactOptional(),
    addresses: z.array(z.string()).describe('Where its host leads'),
    head: z
      .object({ status: z.int(), durationMs: z.int(), error: z.string().exactOptional() })
      .exactOptional(),
  }),
);

/** The routes of `/admin/origins` and `/admin/reach`. */
export const originRoutes = {
  list: {
    summary: 'The origins that are called, those called last first',
    answers: {
      200: {
        description: 'At most 1,024, and those that are paused',
        schema: () => z.array(origin()),
      },
    },
  },
  pause: {
    summary: 'Start no attempt to an origin until it is resumed; what is in flight goes on',
    body: {
      isRequired: true,
      example: { origin: 'https://example.com' },
      schema: () => originSchema,
    },
    answers: { 200: { description: 'It is paused', schema: pause } },
  },
  resume: {
    summary: 'Let attempts to a paused origin start',
    body: {
      isRequired: true,
      example: { origin: 'https://example.com' },
      schema: () => originSchema,
    },
    answers: { 200: { description: 'It is not paused', schema: pause } },
  },
  reach: {
    summary: 'Whether a destination may be called, and whether it answers',
    changes: false,
    body: { isRequired: true, schema: reachSchema },
    answers: { 200: { description: 'The same judgement as of every attempt', schema: verdict } },
  },
} satisfies Record<string, RouteDescription>;
