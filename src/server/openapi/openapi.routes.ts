/** `GET /openapi.json`: what this server answers, for programs that read it (messaging.md 1.1). */
import type { FastifyInstance } from 'fastify';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import type { RouteCatalogue } from '../../http/routes/route-catalogue.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { openapiDocument } from './openapi-document.js';

const description: RouteDescription = {
  summary: 'This document',
  access: 'open',
  answers: { 200: { description: 'OpenAPI 3.1', contentType: 'application/json' } },
};

export class OpenapiRoutes implements HotRoutes {
  private document: string | null = null;

  constructor(private readonly catalogue: RouteCatalogue) {}

  /** Made when it is first asked for: by then every route is registered. */
  register(fastify: FastifyInstance): void {
    fastify.get('/openapi.json', { config: { description } }, (_request, reply) => {
      this.document ??= JSON.stringify(openapiDocument(this.catalogue.routes));
      return reply.header('content-type', 'application/json; charset=utf-8').send(this.document);
    });
  }
}
