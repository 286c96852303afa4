/**
 * The description of a route, given where it is registered; the OpenAPI document is made of these.
 *
 *     @Get(':name') @Describe({ ... })               in a controller
 *     { methods, pattern, description, serve }       in the route table
 */

import { RouteConfig } from '@nestjs/platform-fastify';
import type { z } from 'zod';
import type { Confidential } from '../identity/bearer-token.js';

/** A schema is made for the first reader of the document: a start makes none (ADR 62). */
export type Lazy<Schema> = () => Schema;

/** A route as its caller sees it. Schemas are of JSON as it is on the wire. */
export interface RouteDescription {
  /** What it is for, in one line without a full stop. */
  readonly summary: string;
  /** Where the pattern does not tell: `/v2/publish/{destination}` of `/v2/publish/*`. */
  readonly path?: string;
  /**
   * Absent: credentials are needed. `open`: any client may call it at any time, also while the
   * server starts or stops; `path`: any client that knows its path, while the server serves.
   */
  readonly access?: 'open' | 'path';
  /** Whether it changes anything, where that does not follow from its method (`GET` does not). */
  readonly changes?: boolean;
  /**
   * Every credential of either interface that may read may call it, whatever its method: it only
   * reads, and checks rights for each thing that it reads. An `Authorization` header is needed.
   */
  readonly isForReaders?: true;
  /**
   * It tells of this node of a cluster: each node answers for itself, and does so while it does not
   * serve.
   */
  readonly isOfNode?: true;
  /**
   * How a repeated request is recognised: by its `seed`, as all that it changes is
   * decided in the name of its caller, or by the `Idempotency-Key` that it may bring (ADR 79).
   */
  readonly repeats?: 'seed' | 'key';
  /** What its answer holds that not every token may see, which is refused with 403. */
  readonly shows?: Confidential;
  /**
   * Its answer is made of what the journal says, so that `?asOf=` shows it as it was (ADR 47); what
   * only memory knows is null then.
   */
  readonly asOf?: true;
  /** Query parameters; the description of a field's schema is shown with it. */
  readonly query?: Lazy<z.ZodObject>;
  /** Request headers that mean something here. */
  readonly headers?: Lazy<z.ZodObject>;
  readonly body?: BodyDescription;
  /** Statuses of refusals beyond those that follow from the rest of the description. */
  readonly refuses?: readonly (401 | 403 | 404 | 409 | 429)[];
  /** Status to answer, of what is no refusal: those have one shape everywhere. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /**
   * Its answer can exceed 1 MiB and is put together before it is sent, as it lists what is in
   * memory. See `InFlight.guard`.
   */
  readonly isLong?: true;
}

/** JSON as an example has it. */
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
  /** A body that a server which has nothing accepts as it stands: a test sends it. */
  readonly example?: Example;
}

/** An answer: JSON of a schema, text of another type, or no body at all. */
export interface AnswerDescription {
  readonly description: string;
  readonly schema?: Lazy<z.ZodType>;
  /** Without a schema: the media type of what is answered. */
  readonly contentType?: string;
}

/** Whether a request changes nothing by its method alone. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a request may change anything; `description` null = no route is known to take it. */
export function mayChange(method: string, description: RouteDescription | null): boolean {
  return description?.changes ?? !isReading(method);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly description?: RouteDescription;
  }
}

/** Describes a controller's route. */
export function Describe(description: RouteDescription): MethodDecorator {
  return RouteConfig({ description });
}
