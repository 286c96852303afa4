/** Commits the groups of a log shared with other machines: to them first, then to its folder. */
import type { DiskFull } from '../faults/storage-errors.js';
import type { AppendGroup } from './append-group.js';
import type { CommitStream } from './commit-stream.js';
import type { CommitTarget } from './group-commit.js';

/**
 * For a log that is committed to a shared log (ADR 63). If the shared log has a group for which the
 * folder has no room, the write rejects with `DiskFull` and the log stops committing, because the
 * group cannot be taken back.
 */
export class SharedTarget implements CommitTarget {
  readonly gathers = true;

  constructor(
    private readonly commits: CommitStream,
    private readonly logName: string,
    private readonly folder: CommitTarget,
  ) {}

  get refusal(): Error | null {
    return this.commits.refusal;
  }

  share(group: AppendGroup): Promise<void> | null {
    // Decided by who committed the records: this machine may no longer be the owner that it was.
    return group.isFollowed ? null : this.commits.append(this.logName, group.records);
  }

  async write(group: AppendGroup): Promise<DiskFull | null> {
    const full = await this.folder.write(group);
    // A group that counts on other machines cannot be refused here.
    if (full !== null) throw full;
    return null;
  }

  endSegment(): Promise<void> {
    return this.folder.endSegment();
  }
}
