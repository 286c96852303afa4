/** Descriptions of the clock routes, which only `stepwell dev` has (administration.md 4). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

/** The body of `POST /admin/clock`. */
export const forwardSchema = once(() =>
  z.strictObject({
    forward: z.string().describe('A duration: 90s, 3d, 1d10h30m'),
  }),
);

const clock = once(() =>
  z.object({
    now: z.int().describe('The current time of the server, Unix milliseconds'),
    aheadMs: z
      .int()
      .describe('How far the time of the server is ahead of the clock of the machine'),
  }),
);

/** The answer of both routes. */
export type ClockObject = z.output<ReturnType<typeof clock>>;

/** The routes of `/admin/clock`; only a development server has them. */
export const clockRoutes = {
  show: {
    summary: 'Get the time of a development server',
    answers: { 200: { description: 'The time of the server', schema: clock } },
  },
  forward: {
    summary: 'Move the time of a development server forward',
    body: { isRequired: true, schema: forwardSchema },
    answers: { 200: { description: 'The new time of the server', schema: clock } },
  },
} satisfies Record<string, RouteDescription>;
