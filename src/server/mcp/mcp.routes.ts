/** `POST /mcp`: the Model Context Protocol over HTTP, without sessions (ADR 59). */
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Refusal } from '../../grammar/result.js';
import { peerAddressOf } from '../../http/identity/callers.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import { questionsOf } from './caller-questions.js';
import { mcpRoute } from './mcp.openapi.js';

type McpPart = typeof import('../../mcp/mcp.part.js');

/** How many tool calls may be in progress at once. */
const callsMax = 16;

/** The largest body, in bytes: clients send names and numbers only. */
const bodyBytesMax = 64 * 1024;

const busy = new Refusal(
  'unavailable',
  `${callsMax} calls of tools are under way: no more can be at the same time`,
  { 'retry-after': '1' },
);

/**
 * Protocol versions before June 2025 had lists of messages. Nothing would bound their calls. The
 * answer has the form of the protocol (JSON-RPC 2.0, 5.1), as those of the SDK to other bodies.
 */
const manyMessages = JSON.stringify({
  jsonrpc: '2.0',
  error: {
    code: -32600,
    message: 'the body is a list: a request has one message of the protocol',
  },
  id: null,
});
const jsonType = ['content-type', 'application/json; charset=utf-8'];

const foreign = new Refusal(
  'forbidden',
  'forbidden: a web page may use /mcp only if STEPWELL_CORS_ORIGINS names its origin',
);

/** The headers that the SDK reads. */
const readHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Origins of web pages that may use the endpoint. */
export class PageOrigins {
  /** `allowed` comes from the configuration; null = none. */
  constructor(private readonly allowed: ((origin: string) => boolean) | null) {}

  /** Whether a page of this origin, as its browser sends it, may use the endpoint. */
  allows(origin: string): boolean {
    return this.allowed?.(origin) ?? false;
  }
}

/**
 * Serves a bounded number of calls at a time, and answers 503 to others: each call queries routes
 * of this server, as its caller and with its rights.
 */
@Injectable()
export class McpRoute implements FastifyRoute {
  readonly methods = ['POST'];
  readonly pattern = '/mcp';
  readonly description = mcpRoute;
  readonly bodyBytesMax = bodyBytesMax;
  private part: McpPart | null = null;
  private calls = 0;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly mayRead: PageOrigins,
  ) {}

  /** Loads the SDK; a server without `/mcp` never does. */
  async load(): Promise<void> {
    this.part = await import('../../mcp/mcp.part.js');
  }

  /**
   * Refuses foreign pages before the body is read: a page may have pointed its name at this
   * machine.
   */
  async judge({ request }: FastifyExchange): Promise<Refusal | null> {
    const { origin } = request.headers;
    return origin === undefined || this.mayRead.allows(origin) ? null : foreign;
  }

  async serve(exchange: FastifyExchange): Promise<void> {
    const { part } = this;
    if (part === null) throw new Error('the protocol is not loaded');
    const body = exchange.body.toString();
    if (/^\s*\[/.test(body)) return exchange.answer(400, jsonType, manyMessages);
    if (this.calls >= callsMax) return exchange.refuse(busy);
    this.calls += 1;
    const gone = new AbortController();
    exchange.response.once('close', () => gone.abort());
    const { signal } = gone;
    try {
      const request = { headers: headersOf(exchange), body, signal };
      const answer = await part.answerMcp(request, this.questionsOf(exchange));
      if (!signal.aborted) exchange.answer(answer.status, answer.headers, answer.body);
    } catch (error) {
      // If the client has disconnected, the error no longer matters.
      if (!signal.aborted) throw error;
    } finally {
      this.calls -= 1;
    }
  }

  private questionsOf({ request, caller }: FastifyExchange) {
    return questionsOf(this.host.httpAdapter.getInstance(), {
      authorization: request.headers.authorization ?? '',
      requestId: caller.requestId,
      address: peerAddressOf(request),
    });
  }
}

function headersOf({ request }: FastifyExchange): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readHeaders) {
    const value = request.headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
