/** Describes the groups of dead letters (messaging.md 10). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { letterErrorQuery } from '../dead-letters/dead-letters.openapi.js';
import { milliseconds, originQuery, several } from '../messages/message-schema.js';
import type { LetterGroup, LetterGroups } from './letter-groups.js';
import type { GroupFilters } from './letter-groups.request.js';

const group = once(() =>
  z
    .object({
      responseStatus: z.int().describe('0 = the last attempt got no response'),
      origin: z.string().describe('Scheme, host and port of the destination'),
      error: z
        .string()
        .describe(
          'Why the attempt failed: the error, or the response; each number is replaced by #',
        ),
      count: z.int(),
      newestAt: milliseconds,
      oldestAt: milliseconds,
      dlqId: z.string().describe('The newest dead letter of the group'),
    } satisfies Record<keyof LetterGroup, z.ZodType>)
    .meta({ id: 'DeadLetterGroup' }),
);

const query = once(() =>
  z.object({
    ...originQuery,
    host: several.describe('Host, with or without its port'),
    path: several,
    messageId: several,
    responseStatus: z.array(z.int()).optional(),
    error: letterErrorQuery,
    cursor: z.string().describe('The cursor of the previous answer').optional(),
  } satisfies Record<keyof GroupFilters, z.ZodType>),
);

const answer = once(() =>
  z.object({
    groups: z.array(group()),
    others: z.int().describe('Dead letters in groups that are not listed'),
    searchedTo: milliseconds
      .describe('Dead letters older than this were not examined')
      .exactOptional(),
    cursor: z
      .string()
      .describe('Continues the search; absent when all dead letters were examined')
      .exactOptional(),
    damaged: damaged(),
  } satisfies Record<keyof LetterGroups, z.ZodType>),
);

/** Describes `GET /v2/dlq/groups`. */
export const groupsRoute: RouteDescription = {
  summary: 'Dead letters, grouped by what went wrong',
  query,
  answers: { 200: { description: 'The groups, largest first', schema: answer } },
};
