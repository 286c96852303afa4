/** Descriptions of the routes that show the journal (administration.md 1). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const moment = 'an offset, Unix milliseconds, or a date as 2026-11-23T04:00:00Z';

const reveal = once(() =>
  z
    .boolean()
    .describe('With what is redacted, and secrets: for administrators, and an event of the journal')
    .optional(),
);

const bucket = once(() =>
  z.object({
    at: z.int().describe('Where the step begins, Unix milliseconds'),
    events: z.int().describe('Offsets that were given out in it'),
  }),
);

const entity = once(() =>
  z
    .object({
      kind: z.string(),
      id: z.string(),
      until: z.int().describe('All of its events lie before this offset'),
      events: z.int(),
      firstAt: z.int().describe('Unix milliseconds'),
      lastAt: z.int().describe('Unix milliseconds'),
      lastType: z.string(),
      hasEnded: z.boolean(),
      state: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('What its events came to; null once it has ended'),
    })
    .meta({ id: 'JournalEntity' }),
);

/** The routes of `/admin/journal`, for its controller. */
export const journalRoutes = {
  events: {
    summary: 'Events of the journal, as lines of JSON or as a stream that goes on',
    query: () =>
      z.object({
        from: z.string().describe(`From here on: ${moment}`).optional(),
        until: z.string().describe(`Up to here: ${moment}; a time inclusive`).optional(),
        stream: z.string().describe('kind/id, or an id').optional(),
        type: z.string().describe('Types of events, comma separated').optional(),
        by: z.string().describe('A credential, server, unknown, or kind/id of a cause').optional(),
        order: z.enum(['oldest', 'newest']).describe('Which come first').optional(),
        count: z.int().min(1).max(1000).describe('Default 100').optional(),
        cursor: z.string().describe('Of the last line of the answer before').optional(),
        bodies: z.boolean().describe('With bodies, in Base64').optional(),
        reveal: reveal(),
      }),
    headers: () =>
      z.object({
        Accept: z.string().describe('text/event-stream: a stream that goes on').optional(),
        'Last-Event-ID': z.string().describe('The stream goes on behind this event').optional(),
      }),
    answers: {
      200: {
        description: 'An event a line; a last line {"cursor"} where there is more to look at',
        contentType: 'application/x-ndjson',
      },
    },
  },
  activity: {
    summary: 'How much was recorded in the journal, by time',
    query: () =>
      z.object({
        from: z.string().describe('Default: 24 steps before until').optional(),
        until: z.string().describe('Default: now').optional(),
        step: z.string().describe('A duration, default 1h; at most 1000 of them').optional(),
      }),
    answers: {
      200: {
        description: 'The steps in order, those without events too',
        schema: () => z.object({ stepMs: z.int(), buckets: z.array(bucket()) }),
      },
    },
  },
  entity: {
    summary: 'One entity as it was at a time',
    query: () =>
      z.object({
        stream: z.string().describe('kind/id'),
        asOf: z.string().describe(`Default: now; ${moment}`).optional(),
        reveal: reveal(),
      }),
    answers: { 200: { description: 'Its events up to then, folded', schema: entity } },
  },
} satisfies Record<string, RouteDescription>;
