/** How records leave, whoever was asked for them: one JSON array, and what to know of it. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { RecordsArray } from './record-text.js';

const jsonType = 'application/json; charset=utf-8';

/** A longer answer is streamed: put together it would be in memory twice. */
const wholeBytesMax = 1024 * 1024;

export function sendRecords(
  reply: FastifyReply,
  { chunks, replacedCount }: RecordsArray,
): FastifyReply {
  if (replacedCount > 0) reply.header('stream-replaced-records', replacedCount);
  reply.header('content-type', jsonType);
  const byteLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return byteLength <= wholeBytesMax
    ? reply.send(Buffer.concat(chunks, byteLength))
    : reply.header('content-length', byteLength).send(Readable.from(chunks));
}
