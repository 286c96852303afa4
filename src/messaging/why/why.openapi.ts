/** Describes the answers to "why is it waiting?". */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds } from '../messages/message-schema.js';
import { messageReasons } from './why-message.policy.js';

/** The schema of a `Why` with these reasons. */
export function whySchema<const Reasons extends readonly [string, ...string[]]>(reasons: Reasons) {
  return z.object({
    reason: z.enum(reasons),
    sentence: z.string().describe('For people: names the thing that is waited for'),
    until: milliseconds.describe('When it ends by itself, Unix milliseconds').exactOptional(),
    remedy: z.string().describe('What can be done about it').exactOptional(),
  });
}

/** Describes `GET /v2/messages/{id}/why`. */
export const whyMessageRoute = {
  summary: 'Why a message waits, or how it ended',
  answers: {
    200: {
      description: 'The reason, for programs and in a sentence',
      schema: () => whySchema(messageReasons).extend({ messageId: z.string() }),
    },
  },
} satisfies RouteDescription;
