/** Describes the routes that show messages (messaging.md 2.4). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { pendingStates } from '../delivery/pending-state.js';
import {
  messageSchema,
  milliseconds,
  originQuery,
  searchedToSchema,
  several,
} from '../messages/message-schema.js';
import type { MessageListQuery } from './message-list.request.js';
import { messageStates, type Standing } from './message-standing.js';

const standingFields = once(
  () =>
    ({
      state: z.enum(messageStates),
      attempts: z.int().describe('Number of attempts that have ended'),
      nextDeliveryTime: milliseconds.describe('No attempt starts before this time').exactOptional(),
      startedAt: milliseconds
        .describe('When the attempt that is in flight started')
        .exactOptional(),
      endedAt: milliseconds.describe('When the message became final').exactOptional(),
      responseStatus: z
        .int()
        .describe('Status of the last response; 0 = the last attempt got no response')
        .exactOptional(),
      dlqId: z.string().describe('The dead letter that the message became').exactOptional(),
    }) satisfies Record<keyof Standing, z.ZodType>,
);

const shown = once(() => messageSchema.extend(standingFields()).meta({ id: 'ShownMessage' }));
const row = once(() =>
  shown()
    .omit({ body: true, bodyBase64: true })
    .extend({
      offset: z.int().describe('Offset of the message in the journal'),
    })
    .meta({ id: 'ListedMessage' }),
);

const listQuery = once(() =>
  z.object({
    ...originQuery,
    host: several,
    path: several,
    messageIds: several,
    workflowRunId: several,
    state: z.array(z.enum(pendingStates)).optional(),
    count: z.int().min(1).max(500).default(100).optional(),
    cursor: z.string().describe('The cursor of the previous page').optional(),
  } satisfies Record<keyof MessageListQuery, z.ZodType>),
);

/** The routes of `/v2/messages` that read; `delivery` has those that change something. */
export const shownMessageRoutes = {
  list: {
    summary: 'List the messages that are not final, newest first, page by page',
    asOf: true,
    query: listQuery,
    answers: {
      200: {
        description: 'The messages, without their bodies',
        schema: () =>
          z.object({
            messages: z.array(row()),
            searchedTo: searchedToSchema,
            damaged: damaged(),
            cursor: z.string().describe('Absent on the last page').exactOptional(),
          }),
      },
    },
  },
  show: {
    summary: 'Get a message that is not final, or any message that the logs still hold',
    asOf: true,
    query: () =>
      z.object({
        final: z
          .enum(['true', 'false'])
          .describe('true: also shows a message that is delivered, failed or canceled')
          .default('false')
          .optional(),
      }),
    answers: { 200: { description: 'The message', schema: shown } },
  },
} satisfies Record<string, RouteDescription>;
