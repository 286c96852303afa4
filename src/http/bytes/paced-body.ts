/** The body of a long answer, made as the client takes it. */
import { Readable } from 'node:stream';
import type { Allowance } from './allowance.js';

/** A part of an answer. */
export interface Piece {
  /** Removed from the array as they are sent, because their maker may still hold the array. */
  readonly chunks: Buffer[];
  /** Whether nothing follows. */
  readonly isLast: boolean;
}

/** Size of one write: a client that takes less than this in 30 seconds counts as taking nothing. */
export const sliceBytes = 128 * 1024;

/**
 * Must be destroyed or read to its end: both close `rest`. An error thrown by `rest` destroys it,
 * so that the client does not take a part for the whole.
 */
export class PacedBody extends Readable {
  private chunks: Buffer[] = [];
  private isComplete = false;

  /**
   * Sends `first`, then the pieces of `rest`; counts what is not taken yet in `allowance`, unless
   * the bytes are in memory anyway (`isCounted` false).
   */
  constructor(
    private readonly allowance: Allowance,
    first: Piece,
    private readonly rest: AsyncIterator<Piece> | null = null,
    private readonly isCounted = true,
  ) {
    // Read nothing ahead: anything made before it can be written lies in memory.
    super({ highWaterMark: 0 });
    this.add(first);
  }

  override _read(): void {
    this.allowance.taken();
    const slice = this.nextSlice();
    if (slice.length > 0) {
      this.push(slice);
      this.allowance.awaitTaken();
    } else if (this.isComplete) this.push(null);
    else void this.pull();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.chunks.length = 0;
    void this.rest?.return?.();
    done(error);
  }

  private async pull(): Promise<void> {
    try {
      this.allowance.settle(0);
      const next = await this.rest?.next();
      if (this.destroyed) return;
      if (next === undefined || next.done === true) this.push(null);
      else {
        this.add(next.value);
        this._read();
      }
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private add({ chunks, isLast }: Piece): void {
    this.chunks = chunks;
    this.isComplete = isLast;
    if (!this.isCounted) return;
    this.allowance.settle(chunks.reduce((sum, { length }) => sum + length, 0));
  }

  /**
   * The next `sliceBytes` of the chunks, or fewer at the end. Each slice costs a write, so small
   * chunks are combined. Copies only slices that span several chunks.
   */
  private nextSlice(): Buffer {
    const parts: Buffer[] = [];
    for (let left = sliceBytes; left > 0; ) {
      const chunk = this.chunks.shift();
      if (chunk === undefined) break;
      const part = chunk.subarray(0, left);
      if (part.length < chunk.length) this.chunks.unshift(chunk.subarray(part.length));
      if (part.length > 0) parts.push(part);
      left -= part.length;
    }
    const [first] = parts;
    return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
  }
}
