/** Describes the routes of URL groups (messaging.md 6). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { UrlGroupObject } from './url-group-object.js';

const group = once(() =>
  z
    .object({
      name: z.string(),
      createdAt: z.int().describe('Unix milliseconds'),
      updatedAt: z.int().describe('Unix milliseconds'),
      endpoints: z.array(z.object({ name: z.string().optional(), url: z.string() })),
      headers: z.record(z.string(), z.array(z.string())).optional(),
    } satisfies Record<keyof UrlGroupObject, z.ZodType>)
    .meta({ id: 'UrlGroup' }),
);

const done = { 200: { description: 'Done' } };

/** The routes of `/v2/topics`. */
export const urlGroupRoutes = {
  list: {
    summary: 'List all URL groups',
    asOf: true,
    isLong: true,
    answers: {
      200: { description: 'The URL groups, sorted by name', schema: () => z.array(group()) },
    },
  },
  show: {
    summary: 'Get a URL group',
    asOf: true,
    isLong: true,
    answers: { 200: { description: 'The URL group', schema: group } },
  },
  remove: { summary: 'Delete a URL group', answers: done },
  setHeaders: {
    summary: 'Set the default headers of a URL group',
    body: {
      isRequired: true,
      schema: () =>
        z.object({
          headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
        }),
    },
    answers: done,
  },
  upsertEndpoints: {
    summary: 'Add or change endpoints of a URL group, which is created if it does not exist',
    body: {
      isRequired: true,
      example: { endpoints: [{ url: 'https://example.com/hook', name: 'first' }] },
      schema: () =>
        z.object({
          endpoints: z.array(z.object({ url: z.string(), name: z.string().optional() })),
        }),
    },
    answers: done,
  },
  removeEndpoints: {
    summary: 'Remove endpoints from a URL group',
    body: {
      isRequired: true,
      schema: () =>
        z.object({
          endpoints: z.array(z.object({ url: z.string().optional(), name: z.string().optional() })),
        }),
    },
    answers: done,
  },
} satisfies Record<string, RouteDescription>;
