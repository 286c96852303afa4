/** Every route that the server answers, as it was registered, with what it says of itself. */
import type { FastifyInstance } from 'fastify';
import type { RouteDescription } from './route-description.js';

/** A method and a pattern of the router: `/v2/queues/:name`, `/v2/publish/*`. */
export interface CataloguedRoute {
  readonly method: string;
  readonly pattern: string;
  readonly description: RouteDescription | null;
}

export class RouteCatalogue {
  readonly routes: CataloguedRoute[] = [];

  /** Learns every route registered from now on. */
  follow(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const description = config?.description ?? null;
      for (const each of [method].flat()) {
        this.routes.push({ method: each, pattern: url, description });
      }
    });
  }
}
