/** What a development server sent to itself: the last requests that its sink answered. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';

/** How many requests are kept. */
const sinkRequestsMax = 50;
/** How much is kept of each body. */
const sinkBodyBytesMax = 16 * 1024;

/** A request as it arrived. */
export interface SinkRequest {
  /** Increases with each request since the server started. */
  readonly number: number;
  /** When it arrived, in Unix ms. */
  readonly at: number;
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** The status of its answer. */
  readonly status: number;
  /** Names and values as they arrived. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The beginning of the body, as text; as Base64 if it is not text. */
  readonly body: string;
  readonly isBase64: boolean;
  /** The length of the whole body. */
  readonly bodyBytes: number;
}

/** Holds at most 50 requests in memory, each with the first 16 KiB of its body. */
@Injectable()
export class Sink {
  private kept: SinkRequest[] = [];
  private count = 0;

  constructor(@Inject(provided.clock) private readonly clock: Clock) {}

  /** The kept requests, newest first. */
  get requests(): readonly SinkRequest[] {
    return this.kept;
  }

  /** Keeps a request, in place of the oldest one if necessary; returns its number. */
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

  /** Removes all kept requests. */
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

/** The part of a body to keep: a copy, so that the whole body does not stay in memory. */
function textOf(body: Buffer): Pick<SinkRequest, 'body' | 'isBase64'> {
  const beginning = body.subarray(0, sinkBodyBytesMax);
  // A character may be cut in two, so check the whole body for being text.
  const isBase64 = !isUtf8(body);
  return { body: beginning.toString(isBase64 ? 'base64' : 'utf8'), isBase64 };
}
