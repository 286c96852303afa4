/**
 * The start page, and the icon that browsers request: without these routes, a browser would show a
 * password dialog.
 */
import { z } from 'zod';
import { answerJson } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { Route } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { startObject } from './start-page.js';

const methods = ['GET', 'HEAD'];

const page: RouteDescription = {
  summary: 'Get an overview of the server; clients that ask for HTML are redirected to the console',
  access: 'open',
  answers: {
    200: {
      description: 'The version, and the routes that need no credentials',
      schema: () =>
        z.object({
          name: z.string(),
          version: z.string(),
          links: z.record(z.string(), z.string()),
        }),
    },
    302: { description: 'Redirects browsers to /console' },
  },
};
const icon: RouteDescription = {
  summary: 'The icon of the server: none',
  access: 'open',
  answers: { 204: { description: 'There is no icon' } },
};

/** `/` and `/favicon.ico`; neither needs a credential. */
export const startPageRoutes: readonly Route[] = [
  { methods, pattern: '/', description: page, serve: start },
  {
    methods,
    pattern: '/favicon.ico',
    description: icon,
    serve: (exchange) => exchange.answer(204, ['cache-control', 'public, max-age=86400']),
  },
];

function start(exchange: FastifyExchange): void {
  exchange.header('vary', 'accept');
  // Programs accept anything; browsers explicitly accept HTML.
  const isBrowser = exchange.request.headers.accept?.includes('text/html') === true;
  if (isBrowser) exchange.answer(302, ['location', '/console']);
  else answerJson(exchange, startObject);
}
