/** How the routes of messages are described (messaging.md 2.4). */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { messageSchema, originQuery, several } from '../messages/message-schema.js';
import type { CancelFilters } from './cancel.request.js';

const cancelled = z.object({ cancelled: z.int() });

/** The query parameters of a bulk cancel. */
const cancelQuery = z.object({
  ...originQuery,
  host: several,
  path: several,
  messageIds: several,
  count: z.int().min(1).max(500).optional(),
} satisfies Record<keyof CancelFilters, z.ZodType>);

export const messageRoutes = {
  show: {
    summary: 'A message that is not delivered yet',
    answers: { 200: { description: 'The message', schema: messageSchema } },
  },
  cancel: {
    summary: 'Take a message back',
    answers: { 200: { description: 'It will not be delivered', schema: cancelled } },
  },
  cancelMany: {
    summary: 'Take back every message that the filters mean, all of them without a filter',
    query: cancelQuery,
    body: { isRequired: false, schema: z.object({ messageIds: z.array(z.string()).optional() }) },
    answers: { 200: { description: 'How many were taken back', schema: cancelled } },
  },
} satisfies Record<string, RouteDescription>;
