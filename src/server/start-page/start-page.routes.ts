/** The start page, and the icon that browsers ask for: without them they show a password dialog. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { pageHeaders, startObject, startPage } from './start-page.js';

const methods = ['GET', 'HEAD'];

const page: RouteDescription = {
  summary: 'Where everything is; a page where HTML is accepted by name',
  access: 'open',
  answers: {
    200: {
      description: 'The version, and the routes that need no credentials',
      schema: z.object({
        name: z.string(),
        version: z.string(),
        links: z.record(z.string(), z.string()),
      }),
    },
  },
};
const icon: RouteDescription = {
  summary: 'That there is no icon',
  access: 'open',
  answers: { 204: { description: 'None' } },
};

export class StartPageRoutes implements HotRoutes {
  register(fastify: FastifyInstance): void {
    fastify.route({
      method: methods,
      url: '/',
      config: { description: page },
      handler: (request, reply) => {
        reply.header('vary', 'accept');
        // Programs accept anything; browsers say that they want HTML.
        const isBrowser = request.headers.accept?.includes('text/html') === true;
        return isBrowser ? reply.headers(pageHeaders).send(startPage) : reply.send(startObject);
      },
    });
    fastify.route({
      method: methods,
      url: '/favicon.ico',
      config: { description: icon },
      handler: (_request, reply) =>
        reply.code(204).header('cache-control', 'public, max-age=86400').send(),
    });
  }
}
