/** What is remembered of a topic, and what it therefore wants running. */
import type { Effect, EventEnvelope } from '../../engine/decider.js';
import type { CleanupPolicy, TopicEvent, TopicRetention, Trim } from './topic.events.js';

/** A partition's last compaction, which may be under way; how far it got, its log knows. */
export interface CompactionState {
  /** Unix milliseconds. */
  readonly begunAt: number;
  /** When the oldest tombstone that it left was written; null = there is none. */
  readonly oldestTombstone: number | null;
  readonly underWay: { readonly until: number; readonly tombstonesBefore: number } | null;
}

/** A topic that exists, or whose logs do. */
export interface Topic extends TopicRetention {
  readonly createdAt: number;
  readonly partitions: number;
  readonly cleanupPolicy: CleanupPolicy;
  readonly isDeleting: boolean;
  /** Counts what changes which logs there are or where they begin. */
  readonly revision: number;
  /** Where partitions begin that do not begin at 0. */
  readonly starts: ReadonlyMap<number, number>;
  /** By partition. */
  readonly compactions: ReadonlyMap<number, CompactionState>;
}

/** null = it does not exist. */
export type TopicState = Topic | null;

/** The partition logs are there, and nothing below their starts can be read. */
export interface KeepPartitionLogs extends Effect {
  readonly kind: 'keepPartitionLogs';
  readonly partitions: number;
  readonly trims: readonly Trim[];
}

/** A part of a partition is compacted; the carrier records how far it got. */
export interface CompactPartition extends Effect {
  readonly kind: 'compactPartition';
  readonly partition: number;
  readonly until: number;
  readonly tombstonesBefore: number;
}

/** The partition logs are dropped; the carrier records that. */
export interface DropPartitionLogs extends Effect {
  readonly kind: 'dropPartitionLogs';
  readonly partitions: number;
}

/** What a topic may want running. */
export type TopicEffect = KeepPartitionLogs | CompactPartition | DropPartitionLogs;

const noCompaction: CompactionState = { begunAt: 0, oldestTombstone: null, underWay: null };

/**
 * `at` is Unix milliseconds. A change of what its logs are raises `revision`, by which they are
 * kept anew.
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

/** How a partition has been compacted so far. */
export function compactionOf({ compactions }: Topic, partition: number): CompactionState {
  return compactions.get(partition) ?? noCompaction;
}

/** While a topic is deleted it wants nothing but the removal of its logs. */
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
