/** Compression of long listings and objects, for clients that take it. See ADR 58. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const packed = promisify(gzip);

/** Below this an answer is sent as it is: few packets more cost less than a turn of a thread. */
export const packedBytesMin = 8 * 1024;

/** About the size of level 6 on rows of listings, for half of the time. */
const level = 3;

/** Threads of this kind also flush the disk: commits of the log must find some free. */
const packingMax = 1;

/** A body, maybe compressed. */
export interface SentBytes {
  readonly chunks: Buffer[];
  readonly length: number;
}

/** One for the server: it lets one answer at a time be compressed. */
export class AnswerPacker {
  private packing = 0;

  /**
   * The body as it is to be sent, with the headers that say so: gzip in a thread, where the client
   * takes that and no other answer is being compressed. Nothing waits for its turn.
   */
  async pack(request: FastifyRequest, reply: FastifyReply, body: SentBytes): Promise<SentBytes> {
    if (request.method !== 'GET' || body.length < packedBytesMin) return body;
    reply.header('vary', varied(reply.raw.getHeader('vary')));
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

/** Whether an `Accept-Encoding` names it; `gzip;q=0` is a no. */
export function accepts(accepted: string, encoding: string): boolean {
  const offer = accepted.split(',').find((each) => each.trim().split(';')[0]?.trim() === encoding);
  return offer !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(offer);
}

/** Beside what the answer varies by already. */
function varied(known: unknown): string {
  return known === undefined ? 'accept-encoding' : `${String(known)}, accept-encoding`;
}
