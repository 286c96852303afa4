/** `/console/session`: shows who is signed in, signs in, signs out (messaging.md 1.7). */
import { Inject, Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { z } from 'zod';
import type { Clock } from '../engine/clock.js';
import { provided } from '../engine/provided.js';
import { Refusal } from '../grammar/result.js';
import { version } from '../grammar/version.js';
import type { DialectName } from '../http/dialect.js';
import { BearerTokens } from '../http/identity/bearer-token.js';
import { judgeOrigin } from '../http/identity/page-requests.js';
import type { Exchange } from '../http/routes/exchange.js';
import type { FastifyRoute } from '../http/routes/route.js';
import type { RouteDescription } from '../http/routes/route-description.js';
import { listensOnLoopback } from '../server/configuration/config.js';
import type { Credentials } from '../server/credentials/credentials.js';
import { browserClient, FailedLogins } from './failed-logins.js';
import { LoginMetrics } from './login.metrics.js';
import { parseSession, type SessionRequest, sessionSchema } from './session.request.js';
import { type OpenedSession, Sessions, sessionMs } from './sessions.js';

/** The settings that concern sessions. */
export interface SessionSettings {
  readonly host: string;
  readonly isDevelopment: boolean;
  readonly dialect: DialectName;
  /** Where clients reach the server, if not where it listens. */
  readonly publicUrl: string | null;
}

const session = z.object({
  principal: z
    .string()
    .describe('The caller as the journal names it: env:1, token:deploy, rest:stepwell'),
  role: z.enum(['read', 'operate', 'admin']),
  expiresAt: z.int().describe('Unix milliseconds'),
});
const shown = z.object({
  session: session.nullable(),
  needsNothing: z
    .boolean()
    .describe('Whether {} signs in: only under `stepwell dev`, for requests from the same machine'),
  token: z.string().nullable().describe('The published token of `stepwell dev`, if {} signs in'),
  hasSink: z.boolean().describe('Whether /sink receives requests: only under `stepwell dev`'),
  dialect: z.enum(['svc', 'upstash']),
  version: z.string(),
});

const routes = {
  show: {
    summary: "Get the console session of this request's cookie",
    access: 'path',
    answers: { 200: { description: 'The session; null if there is none', schema: () => shown } },
  },
  open: {
    summary: 'Sign in to the console',
    access: 'path',
    changes: false,
    body: { isRequired: true, schema: () => sessionSchema },
    refuses: [401, 403, 429],
    answers: {
      201: {
        description: 'Signed in: sets a cookie that replaces the credential for 12 h',
        schema: () => shown,
      },
    },
  },
  end: {
    summary: 'Sign out of the console',
    access: 'path',
    changes: false,
    refuses: [403],
    answers: { 204: { description: 'Signed out: the cookie is no longer accepted' } },
  },
} satisfies Record<string, RouteDescription>;

const pattern = '/console/session';
/** For JSON with a credential. */
const bodyBytesMax = 16 * 1024;
const unkept = ['cache-control', 'no-store'];

/** Browsers keep cookies no longer than this, in seconds. */
const browserMaxAge = 400 * 86_400;

/** Signing in takes a credential once; the cookie is `HttpOnly` and `SameSite=Strict`. */
@Injectable()
export class SessionRoutes {
  readonly routes: readonly FastifyRoute[];
  private readonly failed = new FailedLogins();
  private readonly metrics: LoginMetrics;
  private readonly attributes: string;

  constructor(
    private readonly sessions: Sessions,
    private readonly bearer: BearerTokens,
    @Inject(provided.config) private readonly settings: SessionSettings,
    @Inject(provided.credentials) private readonly credentials: Credentials,
    @Inject(provided.clock) private readonly clock: Clock,
    registry: Registry,
  ) {
    this.metrics = new LoginMetrics(registry);
    const isSecure = settings.publicUrl?.startsWith('https:') === true;
    this.attributes = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    const route = (
      methods: FastifyRoute['methods'],
      description: RouteDescription,
      serve: (exchange: Exchange) => void,
    ) => ({ methods, pattern, description, serve, bodyBytesMax });
    this.routes = [
      route(['GET'], routes.show, (exchange) => this.show(exchange)),
      route(
        ['POST'],
        routes.open,
        forOwnPages((exchange) => this.open(exchange)),
      ),
      route(
        ['DELETE'],
        routes.end,
        forOwnPages((exchange) => this.end(exchange)),
      ),
    ];
  }

  private show(exchange: Exchange): void {
    const as = this.bearer.session(exchange.request);
    const expiresAt = this.sessions.expiryOf(exchange.request);
    const known = as === undefined || expiresAt === undefined ? null : { ...as, expiresAt };
    this.answer(exchange, 200, known);
  }

  private open(exchange: Exchange): void {
    const request = parseSession(exchange.body);
    const opened = request.ok ? this.tryOpening(exchange, request.value) : request;
    if (opened instanceof Refusal) {
      exchange.refuse(opened);
      return;
    }
    const browser = this.sessions.browserCookie(exchange.request);
    this.answer(exchange, 201, opened, [
      `${opened.cookie}${this.attributes}; Max-Age=${sessionMs / 1000}`,
      `${browser}${this.attributes}; Max-Age=${browserMaxAge}`,
    ]);
  }

  private tryOpening(exchange: Exchange, request: SessionRequest | null): OpenedSession | Refusal {
    const client = this.clientOf(exchange);
    const now = this.clock.monotonic();
    const slowed = this.failed.judge(client, now);
    if (slowed !== undefined) {
      this.metrics.ended('slowed');
      return slowed;
    }
    const opened = this.sessions.open(request ?? this.given(exchange));
    this.metrics.ended(opened instanceof Refusal ? 'refused' : 'accepted');
    if (opened instanceof Refusal) this.failed.failed(client, now);
    else this.failed.succeeded(client);
    return opened;
  }

  /** A stranger at the same address cannot lock out a known browser by guessing. */
  private clientOf({ request, caller }: Exchange): string {
    const browser = this.sessions.browserOf(request);
    return browser === undefined ? caller.address : browserClient(browser);
  }

  private end(exchange: Exchange): void {
    const cookie = `${this.sessions.end(exchange.request)}${this.attributes}; Max-Age=0`;
    exchange.answer(204, [...unkept, 'set-cookie', cookie]);
  }

  /** The credential for signing in without one; an empty token if a credential is required. */
  private given(exchange: Exchange): SessionRequest {
    return { token: this.needsNothing(exchange) ? (this.credentials.tokens[0] ?? '') : '' };
  }

  /**
   * Whether the request comes from the developer at this machine. A page of a foreign name that was
   * pointed at this machine (DNS rebinding) has that name in `Host`.
   */
  private needsNothing({ request, caller }: Exchange): boolean {
    const { isDevelopment, host } = this.settings;
    if (!isDevelopment || !listensOnLoopback(host) || !listensOnLoopback(caller.address)) {
      return false;
    }
    const { host: named = '' } = request.headers;
    return listensOnLoopback(named.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''));
  }

  private answer(
    exchange: Exchange,
    status: number,
    known: z.output<typeof session> | null,
    cookies: readonly string[] = [],
  ): void {
    const needsNothing = this.needsNothing(exchange);
    const { dialect, isDevelopment: hasSink } = this.settings;
    const token = needsNothing ? (this.credentials.tokens[0] ?? null) : null;
    const body: z.output<typeof shown> = {
      session: known === null ? null : shownSession(known),
      needsNothing,
      token,
      hasSink,
      dialect,
      version,
    };
    const json = ['content-type', 'application/json; charset=utf-8'];
    const set = cookies.flatMap((cookie) => ['set-cookie', cookie]);
    exchange.answer(status, [...json, ...unkept, ...set], JSON.stringify(body));
  }
}

/** Pages of other origins may not sign a visitor in or out either. */
function forOwnPages(serve: (exchange: Exchange) => void): (exchange: Exchange) => void {
  return (exchange) => {
    const foreign = judgeOrigin(exchange.request);
    if (foreign === undefined) serve(exchange);
    else exchange.refuse(foreign);
  };
}

function shownSession({ principal, role, expiresAt }: z.output<typeof session>) {
  return { principal, role, expiresAt };
}
