/** Batches of publishes: a hundred messages cost the generator one request. */

import type { MeasuredProcess } from '../measure/measured-process.js';
import { call } from './api-call.js';

export const batchSize = 100;

/** One message of a batch. */
export interface BatchItem {
  readonly destination: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly queue?: string;
}

/** Publishes `count` messages, a batch after the other; rejects unless each one is accepted. */
export async function publishInBatches(
  server: MeasuredProcess,
  count: number,
  itemOf: (number: number) => BatchItem,
): Promise<void> {
  for (let first = 0; first < count; first += batchSize) {
    const length = Math.min(batchSize, count - first);
    const items = Array.from({ length }, (_, index) => itemOf(first + index));
    const answers = (await call(server, 'POST', '/v2/batch', items)) as readonly object[];
    const refused = answers.find((answer) => 'error' in answer);
    if (answers.length !== length || refused !== undefined) {
      throw new Error(`a batch was answered with ${JSON.stringify(refused ?? answers)}`);
    }
  }
}

/** `count` batches as request bodies; the messages are numbered through all of them. */
export function batchBodies(count: number, itemOf: (number: number) => BatchItem): Buffer[] {
  return Array.from({ length: count }, (_, batch) => {
    const items = Array.from({ length: batchSize }, (_, index) =>
      itemOf(batch * batchSize + index),
    );
    return Buffer.from(JSON.stringify(items));
  });
}
