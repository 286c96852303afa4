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
    since: milliseconds
      .describe('Since when the message waits in line or is due; absent while it is delayed')
      .exactOptional(),
    nextDeliveryTime: milliseconds.describe('No attempt starts before this time').exactOptional(),
  } satisfies Record<keyof WaitingMessage, z.ZodType>),
);

const queueLine = once(() =>
  z.object({
    queueName: z.string(),
    paused: z.boolean(),
    parallelism: z.int(),
    lag: z.int().describe('All messages of the queue that are not final'),
    waiting: z.array(message()),
  } satisfies Record<keyof QueueLine, z.ZodType>),
);

const keyLine = once(() =>
  z.object({
    flowControlKey: z.string(),
    isPaused: z.boolean(),
    waitListSize: z.int().describe('All attempts that wait under the key'),
    waiting: z.array(message()),
  } satisfies Record<keyof KeyLine, z.ZodType>),
);

const query = once(() => z.object({ count: z.int().min(1).max(500).default(50).optional() }));
const paused = {
  200: { description: 'How many this request paused', schema: () => z.object({ paused: z.int() }) },
};
const resumed = {
  200: {
    description: 'How many this request resumed',
    schema: () => z.object({ resumed: z.int() }),
  },
};

/** The routes below `/v2/queues` and `/v2/flowControl` that published clients do not know. */
export const waitingRoutes = {
  queue: {
    summary: 'List the first messages of a queue, in the order of their delivery',
    query,
    answers: {
      200: {
        description: 'The messages; those that hold slots of the queue come first',
        schema: queueLine,
      },
    },
  },
  key: {
    summary: 'List the first attempts that wait under a flow-control key, in order',
    query,
    answers: {
      200: { description: 'The waiting attempts, without those in flight', schema: keyLine },
    },
  },
  pauseQueues: { summary: 'Pause every queue', answers: paused },
  resumeQueues: { summary: 'Resume every paused queue', answers: resumed },
  pauseKeys: { summary: 'Pause every flow-control key', answers: paused },
  resumeKeys: { summary: 'Resume every paused flow-control key', answers: resumed },
} satisfies Record<string, RouteDescription>;
