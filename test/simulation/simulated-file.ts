/** One simulated file: what is on the platter, what is in the cache, and what lies between. */
import type { SeededRandom } from './seeded-random.js';

export const pageLength = 4096;
const sectorLength = 512;

/** File content that is shared until it is written: a copy of it costs an array of pages. */
export class Content {
  private constructor(
    private readonly pages: (Buffer | undefined)[],
    public length: number,
  ) {}

  static empty(): Content {
    return new Content([], 0);
  }

  copy(): Content {
    return new Content([...this.pages], this.length);
  }

  write(position: number, bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      const at = position + done;
      const number = Math.floor(at / pageLength);
      const start = at % pageLength;
      const old = this.pages[number];
      const page = old === undefined ? Buffer.alloc(pageLength) : Buffer.from(old);
      done += bytes.copy(page, start, done, done + pageLength - start);
      this.pages[number] = page;
    }
    this.length = Math.max(this.length, position + bytes.length);
  }

  /** Cuts, or grows with zeros. */
  resize(length: number): void {
    if (length < this.length) {
      const kept = Math.ceil(length / pageLength);
      this.pages.length = Math.min(this.pages.length, kept);
      const cut = this.pages[kept - 1];
      if (cut !== undefined && length % pageLength !== 0) {
        const page = Buffer.from(cut);
        page.fill(0, length % pageLength);
        this.pages[kept - 1] = page;
      }
    }
    this.length = length;
  }

  read(position: number, target: Buffer): number {
    const length = Math.max(0, Math.min(target.length, this.length - position));
    for (let done = 0; done < length; ) {
      const at = position + done;
      const start = at % pageLength;
      const part = Math.min(length - done, pageLength - start);
      const page = this.pages[Math.floor(at / pageLength)];
      if (page === undefined) target.fill(0, done, done + part);
      else page.copy(target, done, start, start + part);
      done += part;
    }
    return length;
  }

  /** Pages that hold something, and so take room. */
  get pageCount(): number {
    let count = 0;
    this.pages.forEach((page) => {
      if (page !== undefined) count += 1;
    });
    return count;
  }

  /** How many bytes of a write get in where so many pages are free. */
  fitting(position: number, length: number, freePages: number): number {
    const end = position + length;
    let free = freePages;
    for (let start = position - (position % pageLength); start < end; start += pageLength) {
      if (this.pages[start / pageLength] !== undefined) continue;
      if (free === 0) return Math.max(0, start - position);
      free -= 1;
    }
    return length;
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(this.length);
    this.read(0, bytes);
    return bytes;
  }
}

/** A change of a file that no fdatasync has made durable. */
export type PendingChange = { readonly order: number; readonly file: SimulatedFile } & (
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: 'resize'; readonly length: number }
);

/** How a failed fdatasync leaves the file (reliability of real file systems differs here). */
export type SyncFailure =
  /** The pages are marked clean and stay in the cache: readers see what is not on disk. */
  | 'cached'
  /** The cache goes back to what is on disk. */
  | 'reverted'
  /** This fdatasync succeeds, although nothing got to the disk; the next one fails. */
  | 'late';

/** Bytes [from, to) of a file that no read gives: a page with a bad sector. */
export interface UnreadableBytes {
  readonly from: number;
  readonly to: number;
}

export class SimulatedFile {
  durable = Content.empty();
  cache = Content.empty();
  pending: PendingChange[] = [];
  failsNextSync = false;
  unreadable: UnreadableBytes | null = null;

  copy(): SimulatedFile {
    const file = new SimulatedFile();
    file.durable = this.durable.copy();
    file.cache = this.cache.copy();
    file.pending = this.pending.map((change) => ({ ...change, file }));
    file.failsNextSync = this.failsNextSync;
    file.unreadable = this.unreadable;
    return file;
  }

  /** Bytes read, up to what cannot be; null where nothing can. */
  read(position: number, target: Buffer): number | null {
    const bad = this.unreadable;
    const isBeside = bad === null || position + target.length <= bad.from || position >= bad.to;
    if (isBeside) return this.cache.read(position, target);
    if (position >= bad.from) return null;
    return this.cache.read(position, target.subarray(0, bad.from - position));
  }

  write(order: number, position: number, source: Buffer): void {
    const bytes = Buffer.from(source);
    this.cache.write(position, bytes);
    this.pending.push({ order, file: this, kind: 'write', position, bytes });
  }

  resize(order: number, length: number): void {
    this.cache.resize(length);
    this.pending.push({ order, file: this, kind: 'resize', length });
  }

  sync(): void {
    for (const change of this.pending) applyChange(this.durable, change);
    this.pending = [];
  }

  failSync(failure: SyncFailure): void {
    this.pending = [];
    if (failure === 'reverted') this.cache = this.durable.copy();
    if (failure === 'late') this.failsNextSync = true;
  }

  /** What a crash leaves when exactly `kept` of the pending changes reached the disk. */
  survive(kept: readonly PendingChange[]): void {
    for (const change of kept) applyChange(this.durable, change);
    this.pending = [];
    this.cache = this.durable.copy();
  }
}

function applyChange(content: Content, change: PendingChange): void {
  if (change.kind === 'write') content.write(change.position, change.bytes);
  else content.resize(change.length);
}

/**
 * A write cut at the sectors of the disk, of which only some arrive; with `garbage`, some of those
 * that do are rubbish. The size the write gave the file arrives or not on its own.
 */
export function tornChanges(
  change: PendingChange,
  random: SeededRandom,
  garbage: boolean,
): PendingChange[] {
  if (change.kind === 'resize') return random.chance(0.5) ? [change] : [];
  const { position, bytes, order, file } = change;
  const torn: PendingChange[] = [];
  const end = position + bytes.length;
  for (let start = position; start < end; ) {
    const next = Math.min(end, start - (start % sectorLength) + sectorLength);
    const part = bytes.subarray(start - position, next - position);
    if (random.chance(0.5)) {
      const sector = garbage && random.chance(0.3) ? random.bytes(part.length) : part;
      torn.push({ order, file, kind: 'write', position: start, bytes: sector });
    }
    start = next;
  }
  return torn;
}
