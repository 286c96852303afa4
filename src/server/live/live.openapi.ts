/** The description of the live stream's route. */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { liveKinds } from './live-events.js';

/** `GET /v2/live`; messaging.md 12 describes the stream itself. */
export const liveRoute: RouteDescription = {
  summary: 'Stream what happens on this server, live',
  query: () =>
    z.object({
      kinds: z
        .string()
        .describe(
          `Any of ${liveKinds.join(', ')}, comma separated; default: all that the caller may see`,
        )
        .optional(),
    }),
  headers: () =>
    z.object({
      'Last-Event-ID': z.string().describe('The stream continues after this event').optional(),
    }),
  answers: {
    200: {
      description:
        'Server-sent events: {offset, kind, id, state, type}, at most five times a second; ' +
        'many: {offset, counts} if there were too many to name; reload: fetch the state again',
      contentType: 'text/event-stream',
    },
  },
};
