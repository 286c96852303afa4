/** Where the groups of a log go that other machines share: to them first, then to its folder. */
import type { DiskFull } from '../faults/storage-errors.js';
import type { AppendGroup } from './append-group.js';
import type { CommitStream } from './commit-stream.js';
import type { CommitTarget } from './group-commit.js';

export class SharedTarget implements CommitTarget {
  constructor(
    private readonly commits: CommitStream,
    private readonly logName: string,
    private readonly folder: CommitTarget,
  ) {}

  get refusal(): Error | null {
    return this.commits.refusal;
  }

  async write(group: AppendGroup): Promise<DiskFull | null> {
    const { commits, logName, folder } = this;
    // By whose records they are: this machine may have ceased to commit since it took its own.
    if (!group.isFollowed) await commits.append(logName, group.records);
    const full = await folder.write(group);
    // What counts elsewhere cannot be refused here.
    if (full !== null) throw full;
    return null;
  }

  endSegment(): Promise<void> {
    return this.folder.endSegment();
  }
}
