/** Descriptions of the routes of bearer tokens (administration.md 2). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { successSchema } from '../../http/success.js';
import { tokenSchema } from './token.request.js';

const time = once(() => z.int().describe('Unix milliseconds'));

const shown = once(() =>
  z
    .object({
      name: z.string(),
      role: z.enum(['read', 'operate', 'admin']),
      createdAt: time(),
      expiresAt: time().nullable(),
    })
    .meta({ id: 'Token' }),
);

/** The routes of `/admin/tokens`; the list can also be requested for the past (`asOf`). */
export const tokenRoutes = {
  create: {
    summary: 'Create a bearer token',
    body: {
      isRequired: true,
      example: { name: 'deploy', role: 'operate' },
      schema: () => tokenSchema,
    },
    answers: {
      201: {
        description: 'The token; it is not shown again',
        schema: () => shown().extend({ token: z.string() }),
      },
    },
  },
  list: {
    summary: 'List all created bearer tokens, without the tokens themselves',
    asOf: true,
    isLong: true,
    answers: {
      200: {
        description: 'The tokens, sorted by name',
        schema: () => z.array(shown().extend({ lastUsedAt: time().nullable() })),
      },
    },
  },
  remove: {
    summary: 'Revoke a bearer token; it is refused as soon as this request is answered',
    answers: { 200: { description: 'Done', schema: successSchema } },
  },
} satisfies Record<string, RouteDescription>;
