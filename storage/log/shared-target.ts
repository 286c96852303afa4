/** Where the groups of a log go that other machines share: to them first, then to its folder. */
import type { DiskFull } from '../faults/storage-errors.js';
import type { AppendGroup } from './append-group.js';
import type { CommitStream } from './commit-stream.js';
import type { CommitTarget } from './group-commit.js';

/**
 * Of a log that is committed to a shared log (ADR 63). A group that the shared log has, and the
 * folder has no room for, rejects with `DiskFull`, which ends the commits of the log: it cannot be
 * taken back.
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
    // By whose records they are: this machine may have ceased to commit since it took its own.
    return group.isFollowed ? null : this.commits.append(this.logName, group.records);
  }

  async write(group: AppendGroup): Promise<DiskFull | null> {
    const full = await this.folder.write(group);
    // What counts elsewhere cannot be refused here.
    if (full !== null) throw full;
    return null;
  }

  endSegment(): Promise<void> {
    return this.folder.endSegment();
  }
}
