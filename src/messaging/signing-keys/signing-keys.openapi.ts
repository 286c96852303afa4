/** Describes the routes of the signing keys (messaging.md 11). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const keys = once(() => z.object({ current: z.string(), next: z.string() }));

/** The routes of `/v2/keys`. */
export const signingKeyRoutes = {
  show: {
    summary: 'Get the current and next key for signing and verifying deliveries',
    shows: 'keys',
    answers: { 200: { description: 'The pair of keys', schema: keys } },
  },
  rotate: {
    summary: 'Rotate the keys: the next one becomes current, and a new next one is made',
    shows: 'keys',
    answers: { 200: { description: 'The new pair of keys', schema: keys } },
  },
} satisfies Record<string, RouteDescription>;
