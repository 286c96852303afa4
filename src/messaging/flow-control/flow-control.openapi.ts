/** Describes the routes of flow control (messaging.md 8). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { FlowControlRecord } from './flow-control-record.js';

const count = once(() =>
  z.int().nullable().describe('null = unknown for the time that asOf names'),
);

const record = once(() =>
  z
    .object({
      flowControlKey: z.string(),
      waitListSize: count(),
      parallelismMax: z.int().describe('0 = no limit'),
      parallelismCount: count(),
      rateMax: z.int().describe('0 = no limit'),
      rateCount: count(),
      ratePeriod: z.int().describe('Seconds'),
      ratePeriodStart: z.int().describe('Unix seconds; 0 = no window is open'),
      isPaused: z.boolean(),
      isPinnedParallelism: z.boolean(),
      isPinnedRate: z.boolean(),
    } satisfies Record<keyof FlowControlRecord, z.ZodType>)
    .meta({ id: 'FlowControlKey' }),
);

const done = { 200: { description: 'Done' } };
const limit = once(() => z.int().min(1).optional());
const flag = once(() => z.boolean().optional());

/** The routes of `/v2/flowControl` and `/v2/globalParallelism`, except those of `waiting`. */
export const flowControlRoutes = {
  list: {
    summary: 'List all flow-control keys',
    asOf: true,
    isLong: true,
    query: () => z.object({ search: z.string().describe('Part of a key').optional() }),
    answers: {
      200: {
        description: 'The keys, each with its limits and its usage',
        schema: () => z.object({ flowControls: z.array(record()) }),
      },
    },
  },
  show: {
    summary: 'Get a flow-control key',
    asOf: true,
    answers: {
      200: {
        description: 'The limits of the key, and how many messages wait for them',
        schema: record,
      },
    },
  },
  pause: {
    summary: 'Pause a flow-control key: no attempt under it starts until it is resumed',
    answers: done,
  },
  resume: { summary: 'Resume a paused flow-control key', answers: done },
  pin: {
    summary: 'Pin limits of a key, so that later publishes do not change them',
    query: () =>
      z.object({
        parallelism: limit(),
        rate: limit(),
        period: z.int().min(1).max(604_800).describe('Seconds').optional(),
      }),
    answers: done,
  },
  unpin: {
    summary: 'Unpin limits of a key, so that publishes set them again',
    query: () => z.object({ parallelism: flag(), rate: flag() }),
    answers: done,
  },
  resetRate: { summary: 'Start a new window of the rate limit', answers: done },
  globalParallelism: {
    summary: 'How many attempts are in flight, and how many may be',
    answers: {
      200: {
        description: 'The numbers for the whole server',
        schema: () => z.object({ parallelismMax: z.int(), parallelismCount: z.int() }),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
