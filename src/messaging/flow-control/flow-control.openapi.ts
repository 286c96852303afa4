/** Describes the routes of flow control (messaging.md 8). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { FlowControlRecord } from './flow-control-record.js';

const count = once(() => z.int().nullable().describe('null = it is not known of then'));

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
    summary: 'All flow-control keys',
    asOf: true,
    isLong: true,
    query: () => z.object({ search: z.string().describe('Part of a key').optional() }),
    answers: {
      200: {
        description: 'Their records',
        schema: () => z.object({ flowControls: z.array(record()) }),
      },
    },
  },
  show: {
    summary: 'One flow-control key',
    asOf: true,
    answers: { 200: { description: 'Its limits and what it holds back', schema: record } },
  },
  pause: { summary: 'Start nothing of a key until it is resumed', answers: done },
  resume: { summary: 'Start messages of a paused key again', answers: done },
  pin: {
    summary: 'Fix limits of a key, whatever later publishes say',
    query: () =>
      z.object({ parallelism: limit(), rate: limit(), period: limit().describe('Seconds') }),
    answers: done,
  },
  unpin: {
    summary: 'Let publishes decide limits again',
    query: () => z.object({ parallelism: flag(), rate: flag() }),
    answers: done,
  },
  resetRate: { summary: 'Begin a new window of the rate', answers: done },
  globalParallelism: {
    summary: 'How many attempts run, and may run, at once',
    answers: {
      200: {
        description: 'Of the whole server',
        schema: () => z.object({ parallelismMax: z.int(), parallelismCount: z.int() }),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
