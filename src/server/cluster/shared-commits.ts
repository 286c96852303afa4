/**
 * The commit stream of an owner: while one batch is in flight, further commits of its logs gather
 * for the next batch of the shared log. On a follower, it accepts nothing.
 */
import { NotTheOwner } from '../../../storage/faults/storage-errors.js';
import type { CommitStream, CommittedRecords } from '../../../storage/log/commit-stream.js';
import type { Clock } from '../../engine/clock.js';
import { dropsLogName } from './kept/dropped-logs.js';
import { archiveLogName } from './kept/kept-archive.js';
import { placeLogName } from './kept/kept-place.js';
import { encodeChanges, type LogChange } from './log-changes.js';

/** Commits a batch to the shared log; rejects if the batch may not count. */
export type SubmitBatch = (body: Buffer) => Promise<{ readonly sequence: number }>;

/** Settles once this folder has durably noted that the batch removes a log. */
export type NoteDrop = (log: string, sequence: number) => Promise<void>;

/** Changes that become durable together. */
interface Waiting {
  readonly changes: readonly LogChange[];
  readonly settle: (sequence: number) => void;
  readonly refuse: (error: Error) => void;
}

/** New work is refused if a commit takes longer, or if it is slow and more bytes wait for it. */
const behindMsMax = 2000;
const behindBytesMax = 8 * 1024 * 1024;
/**
 * A commit is slow from here on. A burst of bodies committed in less time is no reason to refuse
 * any.
 */
const slowMs = 250;

const ownLogs: ReadonlySet<string> = new Set([placeLogName, dropsLogName, archiveLogName]);

const notTheOwner = new NotTheOwner('this node does not own the log that nodes share');

/**
 * Passed to the store of a node. `append`, `trim` and `drop` settle once the change counts in the
 * shared log, and reject with `NotTheOwner` if it may be lost.
 */
export class SharedCommits implements CommitStream {
  private submit: SubmitBatch | null = null;
  private noteDrop: NoteDrop = async () => undefined;
  private isLeaving = false;
  private waiting: Waiting[] = [];
  /** When the batch in flight was submitted; null if there is none. */
  private submittedAt: number | null = null;
  /** How long the last batch took, in ms; null before the first one. */
  commitMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  /** Whether this node commits. */
  get isOpen(): boolean {
    return this.submit !== null;
  }

  get refusal(): Error | null {
    return this.isOpen && !this.isLeaving ? null : notTheOwner;
  }

  /**
   * Whether the shared log lags so far behind that more than `bytes` of new work would only wait.
   */
  isBehind(bytes: number): boolean {
    if (this.submittedAt === null) return false;
    const underWayMs = this.clock.monotonic() - this.submittedAt;
    return underWayMs > behindMsMax || (underWayMs > slowMs && bytes > behindBytesMax);
  }

  /** This node has the log now: appends go to `submit`, and removals of logs are noted. */
  open(submit: SubmitBatch, noteDrop = this.noteDrop): void {
    this.submit = submit;
    this.noteDrop = noteDrop;
  }

  /** The log will be given up: nothing new is accepted, and what was accepted is committed. */
  leave(): void {
    this.isLeaving = true;
  }

  /** The log is given up: nothing is committed any more. */
  close(): void {
    this.submit = null;
  }

  /** A node's own progress, in the shared log and in its archive, is not shared. */
  shares(logName: string): boolean {
    return !ownLogs.has(logName);
  }

  /** Puts all records in one batch: a group of many records must not wait for two commits. */
  async append(log: string, records: readonly CommittedRecords[]): Promise<void> {
    await this.commit(records.map((one) => ({ kind: 'appended', log, records: one })));
  }

  async trim(log: string, offset: number): Promise<void> {
    await this.commit([{ kind: 'trimmed', log, offset }]);
  }

  /** Also notes the removal. */
  async drop(log: string): Promise<void> {
    await this.noteDrop(log, await this.commit([{ kind: 'dropped', log }]));
  }

  /** Settles when the batch with these changes counts. */
  private commit(changes: readonly LogChange[]): Promise<number> {
    return new Promise((settle, refuse) => {
      this.waiting.push({ changes, settle, refuse });
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
        const body = encodeChanges(taken.flatMap(({ changes }) => changes));
        const { sequence } = await this.submit(body);
        this.commitMs = this.clock.monotonic() - this.submittedAt;
        for (const { settle } of taken) settle(sequence);
      } catch (error) {
        const lost = new NotTheOwner('what was being committed may be lost', { cause: error });
        for (const { refuse } of taken) refuse(lost);
      }
      // Callers that waited append again now, so their next changes go into the next batch.
      await Promise.resolve();
    }
    this.submittedAt = null;
  }
}
