/** The decider of a topic: its existence, its retention and its deletion. */
import { accept, type Decider, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type {
  AlterTopic,
  BeginCompaction,
  CreateTopic,
  EndCompaction,
  TopicCommand,
  TrimTopic,
} from './topic.commands.js';
import { type TopicEvent, type TopicRetention, topicKind, unlimited } from './topic.events.js';
import {
  compactionOf,
  evolveTopic,
  type Topic,
  type TopicState,
  topicEffects,
} from './topic.state.js';
import { liftCreatedToVersion2 } from './topic.upcasters.js';

/** The numbers of topics and partitions, and their limits; see `PartitionCount`. */
export interface TopicView {
  readonly topics: number;
  /** Partitions of all topics. */
  readonly sum: number;
  readonly limits: { readonly topicsMax: number; readonly partitionsMax: number };
}

/**
 * More would be a mistake: each partition costs a folder, files, and time of the retention keeper.
 */
const topicPartitionsMax = 1024;

/** Kafka's rule for topic names; names are never used in the file system. */
const topicName = /^[A-Za-z0-9._-]{1,249}$/;

/** The prefix of the server's own topics. */
export const internalPrefix = '__';

const nothing: Decision<TopicEvent> = accept<TopicEvent>([]);

/** Why a topic cannot have this name; null = it can. */
export function topicNameProblem(name: string): string | null {
  if (!topicName.test(name) || name === '.' || name === '..') {
    return 'a topic name has 1 to 249 letters, digits, "-", "_" or "." and is not "." or ".."';
  }
  return name.startsWith(internalPrefix)
    ? `names beginning with ${internalPrefix} are taken`
    : null;
}

function decide(command: TopicCommand, state: TopicState, view: TopicView): Decision<TopicEvent> {
  const { id } = command;
  if (command.type === 'RemoveTopic') {
    return state?.isDeleting === true ? accept([{ type: 'TopicRemoved' }]) : nothing;
  }
  if (state?.isDeleting === true) {
    return command.type === 'EnsureTopic' || command.type === 'CreateTopic'
      ? new Refusal('conflict', `topic ${id} is being deleted; try again`)
      : missing(id);
  }
  if (command.type === 'EnsureTopic') {
    if (state !== null) return nothing;
    const asConfigured = { retentionMs: null, retentionBytes: unlimited } as const;
    return create({ ...command, ...asConfigured, cleanupPolicy: 'delete' }, view);
  }
  if (command.type === 'CreateTopic') {
    return state === null ? create(command, view) : new Refusal('conflict', `topic ${id} exists`);
  }
  if (state === null) return missing(id);
  switch (command.type) {
    case 'AlterTopic':
      return alter(command, state, view);
    case 'TrimTopic':
      return trim(command, state);
    case 'BeginCompaction':
      return beginCompaction(command, state);
    case 'EndCompaction':
      return endCompaction(command, state);
    case 'DeleteTopic':
      return accept([{ type: 'TopicDeleted' }]);
  }
}

function create(command: Omit<CreateTopic, 'type'>, view: TopicView): Decision<TopicEvent> {
  const { id, partitions, retentionMs, retentionBytes, cleanupPolicy } = command;
  const problem = topicNameProblem(id) ?? settingsProblem(command);
  if (problem !== null) return new Refusal('invalid', problem);
  const { topicsMax } = view.limits;
  if (view.topics >= topicsMax) {
    const message = `there may be ${topicsMax} topics (STEPWELL_TOPICS_MAX), and there are`;
    return new Refusal('conflict', `${message} ${view.topics}`);
  }
  const full = tooMany(partitions, view);
  if (full !== null) return full;
  const settings = { partitions, retentionMs, retentionBytes, cleanupPolicy };
  return accept([{ type: 'TopicCreated', ...settings }]);
}

/** Changes settings; values that are already in effect cause no event. */
function alter({ changes }: AlterTopic, state: Topic, view: TopicView): Decision<TopicEvent> {
  const { partitions, retentionMs, retentionBytes } = { ...state, ...changes };
  const altered = { partitions, retentionMs, retentionBytes };
  const problem = settingsProblem(altered);
  if (problem !== null) return new Refusal('invalid', problem);
  const more = partitions - state.partitions;
  if (more < 0) {
    return new Refusal('invalid', `partitions may only grow: the topic has ${state.partitions}`);
  }
  const full = more > 0 ? tooMany(more, view) : null;
  if (full !== null) return full;
  const isSame =
    more === 0 && retentionMs === state.retentionMs && retentionBytes === state.retentionBytes;
  return isSame ? nothing : accept([{ type: 'TopicAltered', ...altered }]);
}

function trim({ trims, cause }: TrimTopic, state: Topic): Decision<TopicEvent> {
  const unknown = trims.find(({ partition }) => partition >= state.partitions);
  if (unknown !== undefined)
    return new Refusal('invalid', `there is no partition ${unknown.partition}`);
  const further = trims.filter(
    ({ partition, before }) => before > (state.starts.get(partition) ?? 0),
  );
  return further.length === 0 ? nothing : accept([{ type: 'TopicTrimmed', trims: further, cause }]);
}

function beginCompaction(command: BeginCompaction, state: Topic): Decision<TopicEvent> {
  const { id, partition, until, tombstonesBefore } = command;
  if (state.cleanupPolicy !== 'compact' || partition >= state.partitions) {
    return new Refusal('invalid', `partition ${partition} of ${id} is not compacted`);
  }
  if (compactionOf(state, partition).underWay !== null) return nothing;
  return accept([{ type: 'CompactionBegun', partition, until, tombstonesBefore }]);
}

/** Ignores the end of a compaction that is not in progress, because it was already recorded. */
function endCompaction(command: EndCompaction, state: Topic): Decision<TopicEvent> {
  const { partition, removedRecords, removedBytes, oldestTombstone } = command;
  if (compactionOf(state, partition).underWay === null) return nothing;
  const outcome = { removedRecords, removedBytes, oldestTombstone };
  return accept([{ type: 'CompactionEnded', partition, ...outcome }]);
}

function settingsProblem({
  partitions,
  retentionMs,
  retentionBytes,
}: TopicRetention & { readonly partitions: number }): string | null {
  if (!isWithin(partitions, topicPartitionsMax)) {
    return `partitions must be a whole number from 1 to ${topicPartitionsMax}`;
  }
  if (retentionMs !== null && !isRetention(retentionMs)) return retentionProblem('retentionMs');
  return isRetention(retentionBytes) ? null : retentionProblem('retentionBytes');
}

function retentionProblem(name: string): string {
  return `${name} must be a whole number of at least 1, or ${unlimited} for no limit`;
}

function isRetention(value: number): boolean {
  return value === unlimited || isWithin(value, Number.MAX_SAFE_INTEGER);
}

function isWithin(value: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= most;
}

/** Why there cannot be `more` additional partitions; null = there can. */
function tooMany(more: number, { sum, limits }: TopicView): Decision<TopicEvent> | null {
  const { partitionsMax } = limits;
  if (sum + more <= partitionsMax) return null;
  const message = `all topics together may have ${partitionsMax} partitions`;
  return new Refusal('conflict', `${message} (STEPWELL_PARTITIONS_MAX), and they have ${sum}`);
}

function missing(name: string): Decision<TopicEvent> {
  return new Refusal('not_found', `topic ${name} not found`);
}

/**
 * 404 for a topic that does not exist; 409 for a name that is taken, also by a topic that is being
 * deleted, and for more topics or partitions than the limits allow.
 */
export const topicDecider: Decider<TopicState, TopicCommand, TopicEvent, TopicView> = {
  kind: topicKind,
  events: {
    TopicCreated: [liftCreatedToVersion2],
    TopicAltered: [],
    TopicTrimmed: [],
    CompactionBegun: [],
    CompactionEnded: [],
    TopicDeleted: [],
    TopicRemoved: [],
  },
  initialState: () => null,
  decide,
  evolve: evolveTopic,
  wants: topicEffects,
  isFinal: (state) => state === null,
  checkpoints: { references: () => [] },
};
