/**
 * The description of a route, given when it is registered; the OpenAPI document is built from
 * these.
 *
 *     @Get(':name') @Describe({ ... })               in a controller
 *     { methods, pattern, description, serve }       in the route table
 */

import { RouteConfig } from '@nestjs/platform-fastify';
import type { z } from 'zod';
import type { Confidential } from '../identity/bearer-token.js';

/** A schema that is created for the first reader of the document: a start creates none (ADR 62). */
export type Lazy<Schema> = () => Schema;

/** A route as its caller sees it. Schemas describe the JSON on the wire. */
export interface RouteDescription {
  /** What the route is for, in one line without a full stop. */
  readonly summary: string;
  /** The path, if the pattern does not show it: `/v2/publish/{destination}` for `/v2/publish/*`. */
  readonly path?: string;
  /**
   * Absent: credentials are needed. `open`: any client may call the route at any time, even while
   * the server starts or stops; `path`: any client that knows its path, while the server serves.
   */
  readonly access?: 'open' | 'path';
  /** Whether the route changes anything, if its method does not show that (`GET` does not). */
  readonly changes?: boolean;
  /**
   * Every credential of either interface that may read may call this route, whatever its method:
   * the route only reads, and checks rights for each thing that it reads. An `Authorization` header
   * is needed.
   */
  readonly isForReaders?: true;
  /** The route is about this node of a cluster: each node answers for itself, serving or not. */
  readonly isOfNode?: true;
  /**
   * How a repeated request is recognised: by its `seed`, because everything it changes is decided
   * in the name of its caller; or by the `Idempotency-Key` that it may bring (ADR 79).
   */
  readonly repeats?: 'seed' | 'key';
  /** Confidential contents of the answer, for which some tokens are refused with 403. */
  readonly shows?: Confidential;
  /**
   * The answer is derived from the journal, so `?asOf=` shows it as it was (ADR 47); what is known
   * only in memory is then null.
   */
  readonly asOf?: true;
  /**
   * The name in the path may contain a question mark, which published clients do not encode, so
   * what follows it is no filter.
   */
  readonly namesAnything?: true;
  /** Query parameters; the description in the schema of a field is shown with it. */
  readonly query?: Lazy<z.ZodObject>;
  /** Request headers that have a meaning here. */
  readonly headers?: Lazy<z.ZodObject>;
  readonly body?: BodyDescription;
  /** Statuses of refusals in addition to those that follow from the rest of the description. */
  readonly refuses?: readonly (401 | 403 | 404 | 409 | 429)[];
  /** Answers by status, except refusals, which have the same form everywhere. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /**
   * The answer can exceed 1 MiB and is assembled before it is sent, because it lists what is in
   * memory. See `InFlight.guard`.
   */
  readonly isLong?: true;
}

/** The JSON of an example. */
export type Example =
  | string
  | number
  | boolean
  | null
  | readonly Example[]
  | { readonly [key: string]: Example };

/** A request body: JSON of a schema, or bytes of any kind. */
export interface BodyDescription {
  readonly schema?: Lazy<z.ZodType>;
  readonly isRequired: boolean;
  /** A body that an empty server accepts as it is: a test sends it. */
  readonly example?: Example;
}

/** An answer: JSON of a schema, text of another type, or no body at all. */
export interface AnswerDescription {
  readonly description: string;
  readonly schema?: Lazy<z.ZodType>;
  /** Without a schema: the media type of the answer. */
  readonly contentType?: string;
  /** Other media types of the answer, if the `Accept` header asks for one of them. */
  readonly alternatives?: readonly string[];
}

/** Whether a request changes nothing, judged by its method alone. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a request may change anything; `description` null = its route is unknown. */
export function mayChange(method: string, description: RouteDescription | null): boolean {
  return description?.changes ?? !isReading(method);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly description?: RouteDescription;
  }
}

/** Describes the route of a controller. */
export function Describe(description: RouteDescription): MethodDecorator {
  return RouteConfig({ description });
}
