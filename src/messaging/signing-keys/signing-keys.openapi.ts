/** Describes the routes of the signing keys (messaging.md 11). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const keys = once(() => z.object({ current: z.string(), next: z.string() }));

/** The routes of `/v2/keys`. */
export const signingKeyRoutes = {
  show: {
    summary: 'The pair of keys that deliveries are signed and verified with',
    shows: 'keys',
    answers: { 200: { description: 'The pair', schema: keys } },
  },
  rotate: {
    summary: 'Make the next key the current one, and a new next one',
    shows: 'keys',
    answers: { 200: { description: 'The new pair', schema: keys } },
  },
} satisfies Record<string, RouteDescription>;
