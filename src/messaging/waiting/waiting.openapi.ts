/**
 * Describes the routes that list waiting messages, and those that pause everything (messaging.md 5,
 * 8).
 */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { pendingStates } from '../delivery/pending-state.js';
import { milliseconds } from '../messages/message-schema.js';
import type { KeyLine, QueueLine, WaitingMessage } from './waiting-lines.js';

const message = once(() =>
  z.object({
    messageId: z.string(),
    state: z.enum([...pendingStates, 'CALLBACKS']),
    since: milliseconds.describe('In the line, or due; absent while it is delayed').exactOptional(),
    nextDeliveryTime: milliseconds.describe('No attempt starts before').exactOptional(),
  } satisfies Record<keyof WaitingMessage, z.ZodType>),
);

const queueLine = once(() =>
  z.object({
    queueName: z.string(),
    paused: z.boolean(),
    parallelism: z.int(),
    lag: z.int().describe('All that are not final'),
    waiting: z.array(message()),
  } satisfies Record<keyof QueueLine, z.ZodType>),
);

const keyLine = once(() =>
  z.object({
    flowControlKey: z.string(),
    isPaused: z.boolean(),
    waitListSize: z.int().describe('All that wait'),
    waiting: z.array(message()),
  } satisfies Record<keyof KeyLine, z.ZodType>),
);

const query = once(() => z.object({ count: z.int().min(1).max(500).default(50).optional() }));
const paused = {
  200: { description: 'How many were not', schema: () => z.object({ paused: z.int() }) },
};
const resumed = {
  200: { description: 'How many were not', schema: () => z.object({ resumed: z.int() }) },
};

/** The routes below `/v2/queues` and `/v2/flowControl` that published clients do not know. */
export const waitingRoutes = {
  queue: {
    summary: 'The first messages of a queue, in the order in which they are delivered',
    query,
    answers: { 200: { description: 'Those that hold its slots come first', schema: queueLine } },
  },
  key: {
    summary: 'The first attempts that wait under a flow-control key, in their order',
    query,
    answers: { 200: { description: 'Without those in flight', schema: keyLine } },
  },
  pauseQueues: { summary: 'Pause every queue that there is', answers: paused },
  resumeQueues: { summary: 'Resume every queue that is paused', answers: resumed },
  pauseKeys: { summary: 'Pause every flow-control key that there is', answers: paused },
  resumeKeys: { summary: 'Resume every flow-control key that is paused', answers: resumed },
} satisfies Record<string, RouteDescription>;
