/**
 * The commit stream of an owner: what its logs want to commit while one batch is under way becomes
 * the next batch of the shared log. On a follower it takes nothing.
 */
import { NotTheOwner } from '../../../storage/faults/storage-errors.js';
import type { CommitStream, CommittedRecords } from '../../../storage/log/commit-stream.js';
import type { Clock } from '../../engine/clock.js';
import { placeLogName } from './kept-place.js';
import { encodeChanges, type LogChange } from './log-changes.js';

/** Commits a batch to the shared log; rejects where it may not count. */
export type SubmitBatch = (body: Buffer) => Promise<unknown>;

interface Waiting {
  readonly change: LogChange;
  readonly settle: () => void;
  readonly refuse: (error: Error) => void;
}

/** New work is refused beyond either (see `isBehind`). */
const behindMsMax = 2000;
const behindBytesMax = 8 * 1024 * 1024;

const notTheOwner = new NotTheOwner('this node does not own the log that nodes share');

export class SharedCommits implements CommitStream {
  private submit: SubmitBatch | null = null;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  /** When the batch under way was submitted; null = none is. */
  private submittedAt: number | null = null;
  /** How long the last batch took, milliseconds; null before the first. */
  commitMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  /** Whether this node commits. */
  get isOpen(): boolean {
    return this.submit !== null;
  }

  get refusal(): Error | null {
    return this.isOpen ? null : notTheOwner;
  }

  /** The shared log lags so far behind that new work would only wait. */
  get isBehind(): boolean {
    const { submittedAt, waitingBytes, clock } = this;
    if (submittedAt === null) return false;
    return waitingBytes > behindBytesMax || clock.monotonic() - submittedAt > behindMsMax;
  }

  /** The log is this node's: appends go to `submit` from now on. */
  open(submit: SubmitBatch): void {
    this.submit = submit;
  }

  /** The log is given up: nothing is committed any more. */
  close(): void {
    this.submit = null;
  }

  /** Where a node has come to in the shared log is its own affair. */
  shares(logName: string): boolean {
    return logName !== placeLogName;
  }

  async append(log: string, records: readonly CommittedRecords[]): Promise<void> {
    const bytes = records.reduce((sum, { body }) => sum + body.length, 0);
    const changes = records.map((one): LogChange => ({ kind: 'appended', log, records: one }));
    this.waitingBytes += bytes;
    await Promise.all(changes.map((change) => this.commit(change)));
    this.waitingBytes -= bytes;
  }

  trim(log: string, offset: number): Promise<void> {
    return this.commit({ kind: 'trimmed', log, offset });
  }

  drop(log: string): Promise<void> {
    return this.commit({ kind: 'dropped', log });
  }

  private commit(change: LogChange): Promise<void> {
    return new Promise((settle, refuse) => {
      this.waiting.push({ change, settle, refuse });
      if (this.submittedAt === null) void this.run();
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const taken = this.waiting;
      this.waiting = [];
      this.submittedAt = this.clock.monotonic();
      try {
        if (this.submit === null) throw notTheOwner;
        await this.submit(encodeChanges(taken.map(({ change }) => change)));
        this.commitMs = this.clock.monotonic() - this.submittedAt;
        for (const { settle } of taken) settle();
      } catch (error) {
        const lost = new NotTheOwner('what was being committed may be lost', { cause: error });
        for (const { refuse } of taken) refuse(lost);
      }
      // Those who waited append again: what they append now goes with the next batch.
      await Promise.resolve();
    }
    this.submittedAt = null;
  }
}
