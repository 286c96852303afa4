/** Describes the answers to "why is it waiting?". */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds } from '../messages/message-schema.js';
import { messageReasons } from './why-message.policy.js';

/** The schema of a `Why` with these reasons. */
export function whySchema<const Reasons extends readonly [string, ...string[]]>(reasons: Reasons) {
  return z.object({
    reason: z.enum(reasons),
    sentence: z.string().describe('For people: names what the message or run waits for'),
    until: milliseconds.describe('When the wait ends by itself, Unix milliseconds').exactOptional(),
    remedy: z.string().describe('What an operator can do about it').exactOptional(),
  });
}

/** Describes `GET /v2/messages/{id}/why`. */
export const whyMessageRoute = {
  summary: 'Explain why a message waits, or how it ended',
  answers: {
    200: {
      description: 'The reason, as a code for programs and as a sentence',
      schema: () => whySchema(messageReasons).extend({ messageId: z.string() }),
    },
  },
} satisfies RouteDescription;
