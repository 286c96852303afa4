/** Every route of the server, in one place: those of features, and those of Nest's controllers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { InFlight } from '../bytes/in-flight.js';
import { isMessagingPath, sendRefusal } from '../error-shapes.js';
import { FastifyExchange, type Target } from './fastify-exchange.js';
import type { ExpressRoute, LongExpressRoute, Route } from './route.js';
import type { RouteDescription } from './route-description.js';

type RouterOptions = findMyWay.Config<findMyWay.HTTPVersion.V1>;
type Router = findMyWay.Instance<findMyWay.HTTPVersion.V1>;

/** A method and a pattern of the router, with the description of the route; null = it has none. */
export interface TabledRoute {
  readonly method: string;
  readonly pattern: string;
  readonly description: RouteDescription | null;
}

/** An express route, whose interface it belongs to, and which targets are its own. */
export interface TabledExpressRoute {
  readonly route: ExpressRoute | LongExpressRoute;
  /** It is one of messages and workflows. */
  readonly isMessaging: boolean;
  readonly takes: (target: string) => boolean;
}

/** Takes routes while the modules are built: `constructor(table: RouteTable, routes: MyRoutes)`. */
export class RouteTable {
  /** Every route of the server, a controller's too; one for each of its methods. */
  readonly routes: TabledRoute[] = [];
  private readonly express = new Map<string, TabledExpressRoute[]>();
  private readonly methods = new Set<HTTPMethod>();
  /** Null until it is asked: only nodes of a cluster and refused requests do, and no start. */
  private router: Router | null = null;

  /** `routerOptions` are those of the server's own router: both must match the same paths. */
  constructor(
    private readonly fastify: FastifyInstance,
    private readonly inFlight: InFlight,
    private readonly routerOptions: RouterOptions,
  ) {
    fastify.addHook('onRoute', ({ method, url, config }) => {
      for (const each of [method].flat()) {
        this.learn(asMethod(each), url, config?.description ?? null);
      }
    });
  }

  /** Lets the server answer these from now on. */
  add(...routes: readonly Route[]): void {
    for (const route of routes) {
      this.register(route);
      if (route.isExpress) this.addExpress(route);
    }
  }

  /** `work` is done when the server stops taking requests: it ends those that wait. */
  beforeClose(work: () => void): void {
    this.fastify.addHook('preClose', async () => work());
  }

  /** The express route of a request, if its target matches one without being decoded. */
  expressFor(method: string, target: string): TabledExpressRoute | undefined {
    for (const tabled of this.express.get(method) ?? none) if (tabled.takes(target)) return tabled;
    return undefined;
  }

  /** What the route of a request says of itself; null where there is none, or it says nothing. */
  descriptionOf(method: string, target: string): RouteDescription | null {
    const path = target.split('?', 1)[0] ?? target;
    return this.ownRouter().find(asMethod(method), path)?.store ?? null;
  }

  /** The methods a request target answers, sorted; none if the path is unknown. */
  methodsOf(target: string): string[] {
    const path = target.split('?', 1)[0] ?? target;
    const router = this.ownRouter();
    return [...this.methods].filter((method) => router.find(method, path) !== null).sort();
  }

  /** Whether a request target is one for every reader, asked by one of its methods. */
  isForReaders(target: string): boolean {
    const methods = this.methodsOf(target);
    return methods.some((method) => this.descriptionOf(method, target)?.isForReaders === true);
  }

  private learn(method: HTTPMethod, pattern: string, description: RouteDescription | null): void {
    this.routes.push({ method, pattern, description });
    this.methods.add(method);
    this.router = null;
  }

  private ownRouter(): Router {
    if (this.router !== null) return this.router;
    const router = findMyWay(this.routerOptions);
    for (const { method, pattern, description } of this.routes) {
      if (router.hasRoute(asMethod(method), pattern)) continue;
      router.on(asMethod(method), pattern, () => undefined, description);
    }
    this.router = router;
    return router;
  }

  private addExpress(route: ExpressRoute | LongExpressRoute): void {
    const { pattern } = route;
    const tabled = { route, isMessaging: isMessagingPath(pattern), takes: targetsOf(pattern) };
    for (const method of route.methods) {
      const known = this.express.get(method);
      if (known === undefined) this.express.set(method, [tabled]);
      else known.push(tabled);
    }
  }

  private register(route: Route): void {
    const { methods, pattern, description, bodyBytesMax: bodyLimit } = route;
    const judge = route.isExpress ? undefined : route.judge?.bind(route);
    this.fastify.route<Target>({
      method: [...methods],
      url: pattern,
      config: { description },
      ...(bodyLimit !== undefined && { bodyLimit }),
      ...(judge !== undefined && {
        onRequest: async (request, reply) => {
          const refusal = await judge(this.exchangeOf(request, reply));
          if (refusal !== null) return sendRefusal(request, reply, refusal);
        },
      }),
      handler: async (request, reply) => {
        await route.serve(this.exchangeOf(request, reply));
        // The reply settles when it has gone out.
        return reply;
      },
    });
  }

  private exchangeOf(request: FastifyRequest<Target>, reply: FastifyReply): FastifyExchange {
    return new FastifyExchange(request, reply, this.inFlight);
  }
}

const none: readonly TabledExpressRoute[] = [];

/** What may stand in a target behind the plain text of a pattern. */
const anything = /^[^?#]/;
const nothing = /^(?:\?|$)/;
const oneSegment = /^[^/?#]+(?:\?|$)/;

/** Which request targets a pattern takes: some that the router gives it too are left to it. */
function targetsOf(pattern: string): (target: string) => boolean {
  const [, prefix = '', tail = ''] = /^(.*?)(\*|:\w+)?$/.exec(pattern) ?? [];
  const rest = tail === '*' ? anything : tail === '' ? nothing : oneSegment;
  return (target) => target.startsWith(prefix) && rest.test(target.slice(prefix.length));
}

/** The router types the methods that it knows; of any other it has no route. */
function asMethod(method: string): HTTPMethod {
  return method as HTTPMethod;
}
