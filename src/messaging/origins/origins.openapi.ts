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
      inFlight: z.int().describe('Number of attempts in flight'),
      limit: z
        .int()
        .describe(
          'How many attempts may be in flight at once if no other origin needs the capacity',
        ),
      succeeded: z
        .int()
        .describe('Attempts of the last 24 hours of this process that got a 2xx response'),
      failed: z.int().describe('All other attempts that have ended in that time'),
      lastAt: milliseconds().nullable(),
      lastFailure: originFailureSchema().nullable(),
      refused: z
        .string()
        .nullable()
        .describe('Why the address of the origin may not be called; null = it may be called'),
      pausedAt: milliseconds().nullable().describe('When the origin was paused; null = not paused'),
    })
    .meta({ id: 'Origin' }),
);

const pause = once(() => z.object({ origin: z.string(), pausedAt: milliseconds().nullable() }));

/** One item of the answer to `GET /admin/origins`. */
export type OriginObject = z.output<ReturnType<typeof origin>>;

/** The body of `POST /admin/reach`. */
export const reachSchema = once(() =>
  z.strictObject({
    url: z.string().describe('The URL of a destination'),
    head: z.boolean().optional().describe('true: also sends one HEAD request to the destination'),
  }),
);

const verdict = once(() =>
  z.object({
    url: z.string(),
    allowed: z.boolean(),
    reason: z.string().describe('Why the destination is not allowed').exactOptional(),
    setting: z.string().describe('The setting that can allow the destination').exactOptional(),
    addresses: z.array(z.string()).describe('The addresses that the host resolves to'),
    head: z
      .object({ status: z.int(), durationMs: z.int(), error: z.string().exactOptional() })
      .exactOptional(),
  }),
);

/** The routes of `/admin/origins` and `/admin/reach`. */
export const originRoutes = {
  list: {
    summary: 'List the origins that deliveries call, most recently called first',
    answers: {
      200: {
        description: 'At most 1,024 origins, plus all paused ones',
        schema: () => z.array(origin()),
      },
    },
  },
  pause: {
    summary:
      'Pause an origin: no attempt to it starts until it is resumed; those in flight continue',
    body: {
      isRequired: true,
      example: { origin: 'https://example.com' },
      schema: () => originSchema,
    },
    answers: { 200: { description: 'The origin is paused', schema: pause } },
  },
  resume: {
    summary: 'Resume a paused origin',
    body: {
      isRequired: true,
      example: { origin: 'https://example.com' },
      schema: () => originSchema,
    },
    answers: { 200: { description: 'The origin is not paused', schema: pause } },
  },
  reach: {
    summary: 'Check whether a destination may be called, and whether it responds',
    changes: false,
    body: { isRequired: true, schema: reachSchema },
    answers: {
      200: {
        description: 'The result of the check that every attempt goes through',
        schema: verdict,
      },
    },
  },
} satisfies Record<string, RouteDescription>;
