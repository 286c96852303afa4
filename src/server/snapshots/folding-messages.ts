/** The messages between the server and the thread that checks snapshots. */
import type { BatchBytes, BatchHeader } from '../../../storage/format/record-batch.js';
import type { DifferingItem } from '../../engine/snapshots/image-comparison.js';
import type { ImagePart } from '../../engine/snapshots/memory-cut.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** Batches whose bodies are concatenated in `bodies`. */
export interface BatchesRequest {
  readonly type: 'touch' | 'fold';
  readonly batches: readonly (Omit<BatchBytes, 'body'> & { readonly header: BatchHeader })[];
  readonly bodies: Bytes;
}

/** A part of a snapshot. */
export interface PartRequest {
  readonly type: 'take' | 'compare';
  readonly name: string;
  readonly data: Bytes;
}

/**
 * A request of the server to the thread; the next one is sent when the previous one is answered.
 */
export type FoldingRequest = PartRequest | BatchesRequest | { readonly type: 'differences' };

/**
 * `done` answers every request with data. An error of the thread is not an answer: it ends the
 * thread.
 */
export type FoldingAnswer =
  | { readonly type: 'done' }
  | { readonly type: 'differences'; readonly items: readonly DifferingItem[] };

/** A part as a request; its bytes are transferred, not copied again. */
export function partRequest(type: PartRequest['type'], { name, data }: ImagePart): PartRequest {
  return { type, name, data: ownBytes([data]) };
}

/** The part in such a request. */
export function partIn({ name, data }: PartRequest): ImagePart {
  return { name, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) };
}

/** Batches as a request. */
export function batchesRequest(
  type: BatchesRequest['type'],
  batches: readonly BatchBytes[],
): BatchesRequest {
  const described = batches.map(({ header, baseOffset, nextOffset }) => {
    return { header, baseOffset, nextOffset };
  });
  return { type, batches: described, bodies: ownBytes(batches.map(({ body }) => body)) };
}

/** The batches in such a request. */
export function received({ batches, bodies }: BatchesRequest): BatchBytes[] {
  let start = 0;
  return batches.map((batch) => {
    const { bodyLength } = batch.header;
    const body = Buffer.from(bodies.buffer, bodies.byteOffset + start, bodyLength);
    start += bodyLength;
    return { ...batch, body };
  });
}

/** Copies the bytes to a buffer of their own, as others may share the present one. */
function ownBytes(pieces: readonly Buffer[]): Bytes {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}
