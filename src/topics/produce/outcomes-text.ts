/** What became of the records of a produce, as its answer shows it (topics.md 2.2). */

import { Refusal } from '../../grammar/result.js';
import { errorBody } from '../../http/error-shapes.js';
import { JsonPieces } from '../records/json-pieces.js';
import type { ProduceOutcome } from './producer.js';
import type { ProduceResult } from './record-appender.js';

const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const none = Buffer.alloc(0);

/**
 * One JSON array: of a hundred records it costs half of `JSON.stringify`, as those of one append
 * differ in one number. A refusal looks the same among others and alone.
 */
export function outcomesText(outcomes: readonly ProduceOutcome[]): string | Buffer {
  const [only] = outcomes;
  // Alone it goes out in one piece with its head, as only a text does.
  if (outcomes.length === 1 && only !== undefined && !(only instanceof Refusal)) {
    const { topic, partition, offset, timestamp } = only;
    return JSON.stringify([{ topic, partition, offset, timestamp }]);
  }
  const json = new JsonPieces();
  let before: ProduceResult | null = null;
  let [start, end] = [none, none];
  json.writeByte(openBracket);
  for (const [index, outcome] of outcomes.entries()) {
    if (index > 0) json.writeByte(comma);
    if (outcome instanceof Refusal) {
      json.writeText(errorBody(false, outcome));
      continue;
    }
    const { topic, partition, offset, timestamp } = outcome;
    if (topic !== before?.topic || partition !== before.partition) {
      const name = JSON.stringify(topic);
      start = Buffer.from(`{"topic":${name},"partition":${partition},"offset":`);
    }
    if (timestamp !== before?.timestamp) end = Buffer.from(`,"timestamp":${timestamp}}`);
    before = outcome;
    json.write(start);
    json.writeNumber(offset);
    json.write(end);
  }
  json.writeByte(closeBracket);
  return json.toBuffer();
}
