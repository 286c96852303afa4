/** Compresses long listings and objects for clients that accept it. See ADR 58. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from './conditional.js';

const packed = promisify(gzip);

/** Smaller answers are not compressed: a few more packets cost less than a turn of a thread. */
export const packedBytesMin = 8 * 1024;

/** About as small as level 6 for rows of listings, in half of the time. */
const level = 3;

/**
 * How many answers are compressed at once: the same threads flush the disk, and commits of the log
 * must find free ones.
 */
const packingMax = 1;

/** A body, which may be compressed. */
export interface SentBytes {
  readonly chunks: Buffer[];
  readonly length: number;
}

/** One instance per server: it compresses one answer at a time. */
export class AnswerPacker {
  private packing = 0;

  /**
   * Returns the body to send and sets the matching headers: gzip in a thread if the client accepts
   * that and no other answer is being compressed. Answers never wait to be compressed.
   */
  async pack(request: FastifyRequest, reply: FastifyReply, body: SentBytes): Promise<SentBytes> {
    if (request.method !== 'GET' || body.length < packedBytesMin) return body;
    varyBy(reply, 'accept-encoding');
    const asked = String(request.headers['accept-encoding'] ?? '');
    if (!accepts(asked, 'gzip') || this.packing >= packingMax) return body;
    this.packing += 1;
    try {
      const bytes = await packed(Buffer.concat(body.chunks, body.length), { level });
      reply.header('content-encoding', 'gzip');
      return { chunks: [bytes], length: bytes.length };
    } finally {
      this.packing -= 1;
    }
  }
}

/** Whether an `Accept-Encoding` allows an encoding; `gzip;q=0` does not. */
export function accepts(accepted: string, encoding: string): boolean {
  const offer = accepted.split(',').find((each) => each.trim().split(';')[0]?.trim() === encoding);
  return offer !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(offer);
}
