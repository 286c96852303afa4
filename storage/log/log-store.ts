/** What a log needs of its store: the interfaces of all its parts together. */
import type { ChainingStore } from '../chain/log-chain.js';
import type { CompactingStore } from '../compaction/compaction.js';
import type { MarkingStore } from '../manifest/watermarks.js';
import type { ReadStore } from '../segment/segment-reader.js';
import type { CommitStream } from './commit-stream.js';
import type { CommittingStore } from './group-commit.js';
import type { WritingStore } from './segment-writer.js';

/** The store of a log. Each part of the log takes the narrower interface that it declares. */
export interface LogStore
  extends ReadStore,
    WritingStore,
    CompactingStore,
    MarkingStore,
    CommittingStore,
    ChainingStore {
  readonly readOnly: boolean;
  /** Null if only the folder makes records durable. */
  readonly commits: CommitStream | null;
}
