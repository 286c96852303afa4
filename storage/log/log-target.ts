/** Where the groups of a log go: to other machines, if there are any, and to its folder. */

import type { AppendGroup } from './append-group.js';
import { streamOf } from './commit-stream.js';
import type { CommitTarget } from './group-commit.js';
import type { LogStore } from './log-store.js';
import type { SegmentWriter } from './segment-writer.js';

/** The log that is written. */
interface TargetLog {
  readonly id: number;
  readonly name: string;
}

/** `committed` is called for each group that is written, before its promise settles. */
export function targetOf(
  store: LogStore,
  { id, name }: TargetLog,
  writer: SegmentWriter,
  committed: (group: AppendGroup) => void,
): CommitTarget {
  const commits = streamOf(store.commits, name);
  return {
    get refusal() {
      return commits?.refusal ?? null;
    },
    write: async (group) => {
      const written = store.committing(group.recordCount);
      if (commits?.refusal === null) await commits.append(name, group.records);
      const full = await writer.write(group);
      // What counts elsewhere cannot be refused here.
      if (full !== null && commits !== null) throw full;
      if (full === null) written();
      return full;
    },
    committed,
    endSegment: () => writer.endSegment(),
    failed: (error) => store.fence.fail(`writing log ${id}`, error),
  };
}
