/** The state of a topic, and the effects that follow from it. */
import type { Effect, EventEnvelope } from '../../engine/decider.js';
import type { CleanupPolicy, TopicEvent, TopicRetention, Trim } from './topic.events.js';

/** A partition's last compaction, which may still be in progress; its log knows how far it got. */
export interface CompactionState {
  /** Unix milliseconds. */
  readonly begunAt: number;
  /** When the oldest remaining tombstone was written; null = none remained. */
  readonly oldestTombstone: number | null;
  readonly underWay: { readonly until: number; readonly tombstonesBefore: number } | null;
}

/** A topic that exists, or is being deleted while its logs still exist. */
export interface Topic extends TopicRetention {
  readonly createdAt: number;
  readonly partitions: number;
  readonly cleanupPolicy: CleanupPolicy;
  readonly isDeleting: boolean;
  /** Increases when the number of logs or their starts change. */
  readonly revision: number;
  /** Starts of the partitions that do not begin at 0. */
  readonly starts: ReadonlyMap<number, number>;
  /** By partition. */
  readonly compactions: ReadonlyMap<number, CompactionState>;
}

/** null = the topic does not exist. */
export type TopicState = Topic | null;

/** Keeps the partition logs open, with nothing below their starts readable. */
export interface KeepPartitionLogs extends Effect {
  readonly kind: 'keepPartitionLogs';
  readonly partitions: number;
  readonly trims: readonly Trim[];
}

/** Compacts a part of a partition; the carrier records the outcome. */
export interface CompactPartition extends Effect {
  readonly kind: 'compactPartition';
  readonly partition: number;
  readonly until: number;
  readonly tombstonesBefore: number;
}

/** Drops the partition logs; the carrier records that. */
export interface DropPartitionLogs extends Effect {
  readonly kind: 'dropPartitionLogs';
  readonly partitions: number;
}

/** The effects that a topic may want. */
export type TopicEffect = KeepPartitionLogs | CompactPartition | DropPartitionLogs;

const noCompaction: CompactionState = { begunAt: 0, oldestTombstone: null, underWay: null };

/**
 * The state after an event; `at` is Unix milliseconds. A change that affects the logs increases
 * `revision`, which starts `KeepPartitionLogs` again.
 */
export function evolveTopic(
  state: TopicState,
  event: TopicEvent,
  { at }: Pick<EventEnvelope, 'at'>,
): TopicState {
  if (event.type === 'TopicCreated') return created(event, at);
  if (state === null || event.type === 'TopicRemoved') return null;
  switch (event.type) {
    case 'TopicAltered': {
      const { retentionMs, retentionBytes, partitions } = event;
      return { ...state, retentionMs, retentionBytes, partitions, revision: state.revision + 1 };
    }
    case 'TopicTrimmed': {
      const starts = new Map(state.starts);
      for (const { partition, before } of event.trims) starts.set(partition, before);
      return { ...state, starts, revision: state.revision + 1 };
    }
    case 'CompactionBegun': {
      const { until, tombstonesBefore } = event;
      return withCompaction(state, event.partition, {
        begunAt: at,
        underWay: { until, tombstonesBefore },
      });
    }
    case 'CompactionEnded':
      return withCompaction(state, event.partition, {
        oldestTombstone: event.oldestTombstone,
        underWay: null,
      });
    case 'TopicDeleted':
      return { ...state, isDeleting: true };
  }
}

/** The last compaction of a partition. */
export function compactionOf({ compactions }: Topic, partition: number): CompactionState {
  return compactions.get(partition) ?? noCompaction;
}

/** The effects of a topic. A topic that is being deleted wants only the removal of its logs. */
export function topicEffects(state: TopicState): readonly TopicEffect[] {
  if (state === null) return [];
  const { partitions, revision, starts, compactions } = state;
  if (state.isDeleting) {
    return [{ kind: 'dropPartitionLogs', id: 'drop', notBefore: 0, partitions }];
  }
  const trims = [...starts].map(([partition, before]) => ({ partition, before }));
  const keep = { id: `logs ${revision}`, notBefore: 0, partitions, trims };
  const effects: TopicEffect[] = [{ kind: 'keepPartitionLogs', ...keep }];
  for (const [partition, { underWay }] of compactions) {
    if (underWay === null) continue;
    const id = `compact ${partition} until ${underWay.until}`;
    effects.push({ kind: 'compactPartition', id, notBefore: 0, partition, ...underWay });
  }
  return effects;
}

function created(event: TopicEvent & { type: 'TopicCreated' }, createdAt: number): Topic {
  const { partitions, retentionMs, retentionBytes, cleanupPolicy } = event;
  return {
    createdAt,
    partitions,
    retentionMs,
    retentionBytes,
    cleanupPolicy,
    isDeleting: false,
    revision: 0,
    starts: new Map(),
    compactions: new Map(),
  };
}

function withCompaction(state: Topic, partition: number, change: Partial<CompactionState>): Topic {
  const compactions = new Map(state.compactions);
  compactions.set(partition, { ...compactionOf(state, partition), ...change });
  return { ...state, compactions };
}
