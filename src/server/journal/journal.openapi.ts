/** Descriptions of the routes that show the journal (administration.md 1). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const moment = 'an offset, Unix milliseconds, or a date like 2026-11-23T04:00:00Z';

const reveal = once(() =>
  z
    .boolean()
    .describe(
      'Also shows redacted values and secrets; only for administrators, recorded in the journal',
    )
    .optional(),
);

const bucket = once(() =>
  z.object({
    at: z.int().describe('Start of the step, Unix milliseconds'),
    events: z.int().describe('Number of offsets assigned in the step'),
  }),
);

const entity = once(() =>
  z
    .object({
      kind: z.string(),
      id: z.string(),
      until: z.int().describe('All events of the entity lie before this offset'),
      events: z.int(),
      firstAt: z.int().describe('Unix milliseconds'),
      lastAt: z.int().describe('Unix milliseconds'),
      lastType: z.string(),
      hasEnded: z.boolean(),
      state: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('The state that results from the events; null once the entity has ended'),
    })
    .meta({ id: 'JournalEntity' }),
);

/** The routes of `/admin/journal`, for its controller. */
export const journalRoutes = {
  events: {
    summary: 'Read events of the journal, as lines of JSON or as a continuous stream',
    query: () =>
      z.object({
        from: z.string().describe(`Start, inclusive: ${moment}`).optional(),
        until: z
          .string()
          .describe(`End: ${moment}; offsets are exclusive, times inclusive`)
          .optional(),
        stream: z.string().describe('kind/id, or an id').optional(),
        type: z.string().describe('Event types, comma separated').optional(),
        by: z
          .string()
          .describe(
            'Who caused the event: a credential, server, unknown, or the kind/id of an entity',
          )
          .optional(),
        order: z.enum(['oldest', 'newest']).describe('Which events come first').optional(),
        count: z.int().min(1).max(1000).describe('Default 100').optional(),
        cursor: z
          .string()
          .describe('The cursor in the last line of the previous answer')
          .optional(),
        bodies: z.boolean().describe('Includes bodies, as Base64').optional(),
        reveal: reveal(),
      }),
    headers: () =>
      z.object({
        Accept: z.string().describe('text/event-stream: a continuous stream').optional(),
        'Last-Event-ID': z.string().describe('The stream continues after this event').optional(),
      }),
    answers: {
      200: {
        description:
          'One event per line; the last line is {"cursor"} if there are more events to examine',
        contentType: 'application/x-ndjson',
        alternatives: ['text/event-stream'],
      },
    },
  },
  activity: {
    summary: 'Count what was recorded in the journal, by time',
    query: () =>
      z.object({
        from: z.string().describe('Default: 24 steps before `until`').optional(),
        until: z.string().describe('Default: now').optional(),
        step: z.string().describe('Duration of a step, default 1h; at most 1000 steps').optional(),
      }),
    answers: {
      200: {
        description: 'The steps in order, including those without events',
        schema: () => z.object({ stepMs: z.int(), buckets: z.array(bucket()) }),
      },
    },
  },
  entity: {
    summary: 'Get an entity as it was at a given time',
    query: () =>
      z.object({
        stream: z.string().describe('kind/id'),
        asOf: z.string().describe(`Default now: ${moment}`).optional(),
        reveal: reveal(),
      }),
    answers: {
      200: {
        description: 'The state that results from all its events up to that time',
        schema: entity,
      },
    },
  },
} satisfies Record<string, RouteDescription>;
