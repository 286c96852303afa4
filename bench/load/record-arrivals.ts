/** A consumer that notes when each numbered record is there, by long polling or by the stream. */
import type { Pool } from 'undici';
import { machineTime } from '../measure/machine-time.js';
import { eachValueNumber } from './answered-records.js';
import { eventStream } from './event-stream.js';
import { topicName } from './log-topic.js';
import { read } from './topic-passes.js';

/** How a consumer asks for records: again and again, or once. */
export type Way = 'long polling' | 'event stream';

/** So long without a record means that nothing more will come. */
const stalledMs = 10_000;
const longestWaitMs = 1000;

export class RecordArrivals {
  /** By number, by `machineTime`. */
  readonly at: number[] = [];
  private left: number;

  /** Waits for records 1 to `count`, each of them once. */
  constructor(
    private readonly pool: Pool,
    private readonly consumer: string,
    count: number,
  ) {
    this.left = count;
  }

  /** Makes the consumer, which begins at the end of the topic. */
  async join(): Promise<void> {
    await read(this.pool, this.path, consumeBody(0));
  }

  /** Settles with the last record; rejects if one comes twice, or if they stop coming. */
  follow(way: Way): Promise<void> {
    return way === 'long polling' ? this.poll() : this.stream();
  }

  private get path(): string {
    return `/consume/${this.consumer}`;
  }

  private async poll(): Promise<void> {
    let since = performance.now();
    while (this.left > 0) {
      const { answer } = await read(this.pool, this.path, consumeBody(longestWaitMs));
      const { left } = this;
      this.note(answer);
      if (this.left < left) since = performance.now();
      else if (performance.now() - since > stalledMs) throw this.stalled();
    }
  }

  private async stream(): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const piece of eventStream(this.pool, this.path, consumeBody(0))) {
      const bytes = Buffer.concat([rest, piece]);
      rest = bytes.subarray(this.note(bytes));
      if (this.left === 0) return;
    }
    throw this.stalled();
  }

  /** Answers how many bytes have been looked at. */
  private note(bytes: Buffer): number {
    const now = machineTime();
    return eachValueNumber(bytes, (number) => {
      if (this.at[number] !== undefined) throw new Error(`record ${number} came twice`);
      this.at[number] = now;
      this.left -= 1;
    });
  }

  private stalled(): Error {
    return new Error(`${this.left} records did not come`);
  }
}

function consumeBody(timeout: number): Buffer {
  return Buffer.from(JSON.stringify({ topic: topicName, timeout }));
}
