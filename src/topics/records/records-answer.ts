/** The answer of every route that reads records: one JSON array, and headers about it. */
import type { Piece } from '../../http/bytes/paced-body.js';
import type { LongExchange } from '../../http/routes/exchange.js';
import type { RecordTexts } from './record-text.js';

/** A part of the records of an answer, by partition. */
export interface RecordsPart {
  readonly texts: readonly RecordTexts[];
  /** Whether this is the last part. */
  readonly isLast: boolean;
}

const jsonType = 'application/json; charset=utf-8';
const replacedName = 'stream-replaced-records';

const arrayStart = Buffer.from('[');
const separator = Buffer.from(',');
const arrayEnd = Buffer.from(']');

/**
 * Answers with records at the pace of the client. The number of records with replacement characters
 * is in a header, or in a trailer of a long answer, since it is not known earlier.
 */
export function sendRecords(
  exchange: LongExchange,
  parts: AsyncIterable<RecordsPart>,
): Promise<void> {
  exchange.header('content-type', jsonType);
  return exchange.answerInPieces(piecesOf(parts, exchange));
}

async function* piecesOf(
  parts: AsyncIterable<RecordsPart>,
  exchange: LongExchange,
): AsyncGenerator<Piece> {
  let isFirst = true;
  let hasRecords = false;
  let replacedCount = 0;
  for await (const { texts, isLast } of parts) {
    const chunks: Buffer[] = isFirst ? [arrayStart] : [];
    for (const each of texts) {
      if (each.count === 0) continue;
      if (hasRecords) chunks.push(separator);
      chunks.push(...each.chunks);
      hasRecords = true;
      replacedCount += each.replacedCount;
    }
    if (isLast) chunks.push(arrayEnd);
    if (isFirst && !isLast) {
      exchange.trailer(replacedName, () => String(replacedCount));
    } else if (isFirst && replacedCount > 0) exchange.header(replacedName, String(replacedCount));
    isFirst = false;
    yield { chunks, isLast };
  }
}
