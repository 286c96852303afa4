/** What a developer's server has sent to itself: the last requests that its sink has answered. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';

/** So many requests are kept. */
const sinkRequestsMax = 50;
/** So much of each body. */
const sinkBodyBytesMax = 16 * 1024;

/** A request as it came. */
export interface SinkRequest {
  /** Rises with each request since the server started. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** What it was answered. */
  readonly status: number;
  /** Names and values as they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Its beginning, as text; as Base64 where it is none. */
  readonly body: string;
  readonly isBase64: boolean;
  /** Of the whole body. */
  readonly bodyBytes: number;
}

/** It holds 50 requests at most, in memory, each with the first 16 KiB of its body. */
@Injectable()
export class Sink {
  private kept: SinkRequest[] = [];
  private count = 0;

  constructor(@Inject(provided.clock) private readonly clock: Clock) {}

  /** The newest first. */
  get requests(): readonly SinkRequest[] {
    return this.kept;
  }

  /** Keeps a request in the place of the oldest one; its number. */
  take(
    { method = '', rawHeaders }: IncomingMessage,
    path: string,
    body: Buffer,
    status: number,
  ): number {
    this.count += 1;
    const request: SinkRequest = {
      number: this.count,
      at: this.clock.now(),
      method,
      path,
      status,
      headers: pairsOf(rawHeaders),
      ...textOf(body),
      bodyBytes: body.length,
    };
    this.kept = [request, ...this.kept.slice(0, sinkRequestsMax - 1)];
    return this.count;
  }

  /** Forgets what came. */
  clear(): void {
    this.kept = [];
  }
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return pairs;
}

/** What is kept of a body: a copy, as the whole one is not to stay in memory. */
function textOf(body: Buffer): Pick<SinkRequest, 'body' | 'isBase64'> {
  const beginning = body.subarray(0, sinkBodyBytesMax);
  // A character may be cut in two; whether it is text, the whole tells.
  const isBase64 = !isUtf8(body);
  return { body: beginning.toString(isBase64 ? 'base64' : 'utf8'), isBase64 };
}
