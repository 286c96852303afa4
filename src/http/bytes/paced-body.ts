/** The body of a long answer, made as its client takes it. */
import { Readable } from 'node:stream';
import type { Allowance } from './allowance.js';

/** A part of an answer. */
export interface Piece {
  readonly chunks: readonly Buffer[];
  /** Nothing follows. */
  readonly isLast: boolean;
}

/** Written at once: a client that takes less than this in 30 seconds counts as taking nothing. */
export const sliceBytes = 128 * 1024;

export class PacedBody extends Readable {
  private readonly slices: Buffer[] = [];
  private isComplete = false;

  /** Sends `first`, then what `rest` gives; holds in `allowance` what is not taken yet. */
  constructor(
    private readonly allowance: Allowance,
    first: Piece,
    private readonly rest: AsyncIterator<Piece> | null = null,
  ) {
    // Nothing is read ahead: what is made before it can be written lies in memory.
    super({ highWaterMark: 0 });
    this.add(first);
  }

  override _read(): void {
    this.allowance.taken();
    if (this.slices.length > 0) this.pushSlice();
    else if (this.isComplete) this.push(null);
    else void this.pull();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.slices.length = 0;
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
      this.destroy(error as Error);
    }
  }

  private add({ chunks, isLast }: Piece): void {
    const slices = slicesOf(chunks);
    this.slices.push(...slices);
    this.isComplete = isLast;
    this.allowance.settle(slices.reduce((sum, { length }) => sum + length, 0));
  }

  private pushSlice(): void {
    const slice = this.slices.shift();
    this.push(slice);
    this.allowance.awaitTaken();
  }
}

/**
 * The bytes of `chunks` in slices of `sliceBytes`, the last one shorter: every slice costs a write,
 * so small chunks share one. Copies only what lies in several chunks.
 */
function slicesOf(chunks: readonly Buffer[]): Buffer[] {
  const slices: Buffer[] = [];
  let parts: Buffer[] = [];
  let length = 0;
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const part = chunk.subarray(start, start + sliceBytes - length);
      parts.push(part);
      start += part.length;
      length += part.length;
      if (length < sliceBytes) continue;
      slices.push(joined(parts));
      parts = [];
      length = 0;
    }
  }
  if (length > 0) slices.push(joined(parts));
  return slices;
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
