/** Describes the groups of dead letters (messaging.md 10). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds, originQuery, several } from '../messages/message-schema.js';
import type { LetterGroup, LetterGroups } from './letter-groups.js';
import type { GroupFilters } from './letter-groups.request.js';

const group = once(() =>
  z
    .object({
      responseStatus: z.int().describe('0 = there was no answer'),
      origin: z.string().describe('Scheme, host and port of the destination'),
      error: z.string().describe('Why there was no answer, or what was answered; numbers are #'),
      count: z.int(),
      newestAt: milliseconds,
      oldestAt: milliseconds,
      dlqId: z.string().describe('The newest'),
    } satisfies Record<keyof LetterGroup, z.ZodType>)
    .meta({ id: 'DeadLetterGroup' }),
);

const query = once(() =>
  z.object({
    ...originQuery,
    host: several.describe('With its port or without'),
    path: several,
    messageId: several,
    responseStatus: z.array(z.int()).optional(),
    cursor: z.string().describe('Of the look before').optional(),
  } satisfies Record<keyof GroupFilters, z.ZodType>),
);

const answer = once(() =>
  z.object({
    groups: z.array(group()),
    others: z.int().describe('Letters in the groups beyond those that are listed'),
    searchedTo: milliseconds.describe('Older letters were not looked at').exactOptional(),
    cursor: z.string().describe('Goes on there').exactOptional(),
    damaged: damaged(),
  } satisfies Record<keyof LetterGroups, z.ZodType>),
);

/** Describes `GET /v2/dlq/groups`. */
export const groupsRoute: RouteDescription = {
  summary: 'Dead letters by what went wrong',
  query,
  answers: { 200: { description: 'The largest group first', schema: answer } },
};
