/** Describes the routes that change messages (messaging.md 2.4). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds, originQuery, several } from '../messages/message-schema.js';
import type { CancelFilters } from './cancel.request.js';
import { rescheduleSchema } from './reschedule.request.js';
import type { Rescheduled } from './rescheduling.js';

const moved = once(() =>
  z.object({
    messageId: z.string(),
    notBefore: milliseconds,
  } satisfies Record<keyof Rescheduled, z.ZodType>),
);

const cancelled = once(() => z.object({ cancelled: z.int() }));

/** The query parameters of a bulk cancel. */
const cancelQuery = once(() =>
  z.object({
    ...originQuery,
    host: several,
    path: several,
    messageIds: several,
    count: z.int().min(1).max(500).optional(),
  } satisfies Record<keyof CancelFilters, z.ZodType>),
);

/** The routes of `/v2/messages` that change something; `shown-messages` has those that read. */
export const messageRoutes = {
  cancel: {
    summary: 'Cancel a message',
    answers: { 200: { description: 'The message will not be delivered', schema: cancelled } },
  },
  deliver: {
    summary: 'Start the next attempt of a message now instead of when its delay or retry is due',
    answers: {
      200: { description: 'The attempt starts as soon as the limits allow it', schema: moved },
    },
  },
  move: {
    summary: 'Move the next attempt of a message to another time',
    body: { isRequired: true, schema: () => rescheduleSchema },
    answers: { 200: { description: 'When the attempt starts', schema: moved } },
  },
  cancelMany: {
    summary: 'Cancel every message that matches the filters, or all messages if there is no filter',
    query: cancelQuery,
    body: {
      isRequired: false,
      schema: () => z.object({ messageIds: z.array(z.string()).optional() }),
    },
    answers: { 200: { description: 'How many messages were canceled', schema: cancelled } },
  },
} satisfies Record<string, RouteDescription>;
