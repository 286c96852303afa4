/** Remembers which methods each path answers, so that a wrong method is told from a wrong path. */
import type { FastifyInstance } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';

export class KnownPaths {
  private readonly router: findMyWay.Instance<findMyWay.HTTPVersion.V1>;
  private readonly methods = new Set<HTTPMethod>();

  /** `routerOptions` are those of the server's own router: both must match the same paths. */
  constructor(routerOptions: findMyWay.Config<findMyWay.HTTPVersion.V1>) {
    this.router = findMyWay(routerOptions);
  }

  /** Learns every route registered from now on. */
  follow(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat() as HTTPMethod[]) {
        if (this.router.hasRoute(each, url)) continue;
        this.router.on(each, url, () => undefined);
        this.methods.add(each);
      }
    });
  }

  /** The methods a request target answers, sorted; none if the path is unknown. */
  methodsOf(target: string): string[] {
    const path = target.split('?', 1)[0] ?? target;
    return [...this.methods].filter((method) => this.router.find(method, path) !== null).sort();
  }
}
