/** The OpenAPI descriptions of the routes of credentials (topics.md 5.3 and 1.5). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { successSchema } from '../../http/success.js';
import { credentialSchema } from './rest-credential.request.js';

const shown = once(() =>
  z
    .object({
      name: z.string(),
      username: z.string(),
      topic: z.string().describe('A name, a prefix ending in "*", or "*"'),
      permissions: z.enum(['ALL', 'PRODUCE', 'CONSUME']),
    })
    .meta({ id: 'Credential' }),
);

/** The routes of `/admin/credentials`. */
export const restCredentialRoutes = {
  create: {
    summary: 'Create a credential for the log interface',
    body: {
      isRequired: true,
      example: { name: 'reader', topic: 'rides', permissions: 'CONSUME' },
      schema: () => credentialSchema,
    },
    answers: {
      201: {
        description: 'The credential; its password is not shown again',
        schema: () => shown().extend({ password: z.string() }),
      },
    },
  },
  list: {
    summary: 'List all created credentials, without their passwords',
    asOf: true,
    isLong: true,
    answers: {
      200: {
        description: 'The credentials, sorted by name',
        schema: () => z.array(shown().extend({ createdAt: z.int().describe('Unix milliseconds') })),
      },
    },
  },
  remove: {
    summary: 'Delete a credential; it is refused as soon as this request is answered',
    answers: { 200: { description: 'Done', schema: successSchema } },
  },
} satisfies Record<string, RouteDescription>;
