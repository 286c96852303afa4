/** A shared log in this process that loses nothing; each node has a handle of its own. */
import type {
  AppendOutcome,
  CommitLog,
  ReadEntries,
  SharedLogEntry,
} from '../../../src/cluster/commit-log.js';

export class MemoryLog {
  private readonly entries: SharedLogEntry[] = [];
  start = 0;

  get end(): number {
    return this.entries.length;
  }

  /** As a node opens it. */
  open(): CommitLog {
    return {
      append: async (expected, bytes) => this.append(expected, bytes),
      read: async (from) => this.read(from),
      end: async () => this.end,
      trim: async (before) => {
        this.start = Math.max(this.start, Math.min(before, this.end - 1));
      },
      close: async () => undefined,
    };
  }

  private append(expected: number, bytes: Buffer): AppendOutcome {
    if (expected !== this.end) return { kind: 'refused' };
    const at = Date.now();
    this.entries.push({ place: expected, at, bytes: Buffer.from(bytes) });
    return { kind: 'stored', place: expected, at };
  }

  private read(from: number): ReadEntries {
    const { start, end } = this;
    const entries = this.entries.slice(Math.max(from, start), from + 1024);
    return { start, end, entries, now: Date.now() };
  }
}
