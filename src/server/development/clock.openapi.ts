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
    now: z.int().describe('What the server takes for now, Unix milliseconds'),
    aheadMs: z.int().describe('How far that is ahead of the machine'),
  }),
);

/** The answer of both routes. */
export type ClockObject = z.output<ReturnType<typeof clock>>;

/** The routes of `/admin/clock`; only a development server has them. */
export const clockRoutes = {
  show: {
    summary: 'The time of a development server',
    answers: { 200: { description: 'Its time', schema: clock } },
  },
  forward: {
    summary: 'Move the time of a development server forward',
    body: { isRequired: true, schema: forwardSchema },
    answers: { 200: { description: 'Its time from now on', schema: clock } },
  },
} satisfies Record<string, RouteDescription>;
