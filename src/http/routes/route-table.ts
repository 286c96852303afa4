/** All routes of the server in one place: those of features and of Nest's controllers. */
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

/** An express route, with its interface and the targets that it takes. */
export interface TabledExpressRoute {
  readonly route: ExpressRoute | LongExpressRoute;
  /** Whether the route belongs to the messages and workflows interface. */
  readonly isMessaging: boolean;
  readonly takes: (target: string) => boolean;
}

/** Collects routes while modules are built: `constructor(table: RouteTable, routes: MyRoutes)`. */
export class RouteTable {
  /** Every route of the server, including those of controllers; one entry for each method. */
  readonly routes: TabledRoute[] = [];
  private readonly express = new Map<string, TabledExpressRoute[]>();
  private readonly methods = new Set<HTTPMethod>();
  /** null until first used: only nodes of a cluster and refused requests need it, no start does. */
  private router: Router | null = null;

  /** `routerOptions` are those of the server's own router, so that both match the same paths. */
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

  /** Adds routes, which the server answers from now on. */
  add(...routes: readonly Route[]): void {
    for (const route of routes) {
      this.register(route);
      if (route.isExpress) this.addExpress(route);
    }
  }

  /** Registers `work`, to run when the server stops taking requests: it ends those that wait. */
  beforeClose(work: () => void): void {
    this.fastify.addHook('preClose', async () => work());
  }

  /** The express route of a request, if its target matches one without being decoded. */
  expressFor(method: string, target: string): TabledExpressRoute | undefined {
    for (const tabled of this.express.get(method) ?? none) if (tabled.takes(target)) return tabled;
    return undefined;
  }

  /** The description of the route of a request; null if there is no route, or no description. */
  descriptionOf(method: string, target: string): RouteDescription | null {
    const path = target.split('?', 1)[0] ?? target;
    return this.ownRouter().find(asMethod(method), path)?.store ?? null;
  }

  /** The methods that a request target supports, sorted; none if its path is unknown. */
  methodsOf(target: string): string[] {
    const path = target.split('?', 1)[0] ?? target;
    const router = this.ownRouter();
    return [...this.methods].filter((method) => router.find(method, path) !== null).sort();
  }

  /** Whether a request target is open to every reader by one of its methods. */
  isForReaders(target: string): boolean {
    const methods = this.methodsOf(target);
    return methods.some((method) => this.descriptionOf(method, target)?.isForReaders === true);
  }

  /** Whether a request target needs no credential, by any of the methods that it supports. */
  isOpen(target: string): boolean {
    const methods = this.methodsOf(target);
    const isOpen = (method: string) => this.descriptionOf(method, target)?.access === 'open';
    return methods.length > 0 && methods.every(isOpen);
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
        // The reply resolves when it was sent.
        return reply;
      },
    });
  }

  private exchangeOf(request: FastifyRequest<Target>, reply: FastifyReply): FastifyExchange {
    return new FastifyExchange(request, reply, this.inFlight);
  }
}

const none: readonly TabledExpressRoute[] = [];

/** What a target may contain after the plain text of a pattern. */
const anything = /^[^?#]/;
const nothing = /^(?:\?|$)/;
const oneSegment = /^[^/?#]+(?:\?|$)/;

/**
 * Which request targets an express pattern takes; some that match only after decoding are left to
 * the router.
 */
function targetsOf(pattern: string): (target: string) => boolean {
  const [, prefix = '', tail = ''] = /^(.*?)(\*|:\w+)?$/.exec(pattern) ?? [];
  const rest = tail === '*' ? anything : tail === '' ? nothing : oneSegment;
  return (target) => target.startsWith(prefix) && rest.test(target.slice(prefix.length));
}

/** The router's types list the methods that it knows; for any other method it has no route. */
function asMethod(method: string): HTTPMethod {
  return method as HTTPMethod;
}
