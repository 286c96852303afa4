/** Assigns the partitions to the members of a group, by three strategies of Kafka. Pure. */
import TinyQueue from 'tinyqueue';
import { bytewise } from './bytewise.js';
import type { Members } from './members.js';

/** How partitions are assigned to members; all members of a group use the same strategy. */
export const strategies = ['range', 'roundrobin', 'sticky'] as const;
/** A strategy; a group has the strategy of its first member. */
export type Strategy = (typeof strategies)[number];

/** For each topic, the owners of its partitions, by partition; null = no owner. */
export type Owners = ReadonlyMap<string, readonly (string | null)[]>;

/** Partitions of one topic that change their owner. */
export interface Move {
  readonly topic: string;
  readonly partitions: readonly number[];
  /** The instance that owns the partitions from now on; null = none. */
  readonly to: string | null;
}

interface Partition {
  readonly topic: string;
  readonly partition: number;
}

/**
 * Assigns every partition of every existing subscribed topic to exactly one owner. Equal input
 * gives equal output, regardless of the order in which members joined.
 */
export function assign(
  strategy: Strategy,
  members: Members,
  partitionsOf: (topic: string) => number,
  previous: Owners,
): Owners {
  const subscribers = subscribersByTopic(members);
  const counts = new Map<string, number>();
  for (const topic of subscribers.keys()) {
    const count = partitionsOf(topic);
    if (count > 0) counts.set(topic, count);
  }
  const spread: Spread = { members, subscribers, counts };
  if (strategy === 'range') return range(spread);
  return strategy === 'roundrobin' ? roundRobin(spread) : sticky(spread, previous);
}

/** The moves that turn `previous` into `next`. */
export function movesBetween(previous: Owners, next: Owners): Move[] {
  const moves: Move[] = [];
  for (const topic of new Set([...previous.keys(), ...next.keys()])) {
    const [before, after] = [previous.get(topic) ?? [], next.get(topic) ?? []];
    const byOwner = new Map<string | null, number[]>();
    for (let partition = 0; partition < Math.max(before.length, after.length); partition += 1) {
      const to = after[partition] ?? null;
      if ((before[partition] ?? null) === to) continue;
      const partitions = byOwner.get(to);
      if (partitions === undefined) byOwner.set(to, [partition]);
      else partitions.push(partition);
    }
    for (const [to, partitions] of byOwner) moves.push({ topic, partitions, to });
  }
  return moves;
}

/** The owners after the moves. Each topic's list is copied only once, even for many moves. */
export function afterMoves(previous: Owners, moves: readonly Move[]): Owners {
  const changed = new Map<string, (string | null)[]>();
  for (const { topic, partitions, to } of moves) {
    const list = changed.get(topic) ?? [...(previous.get(topic) ?? [])];
    changed.set(topic, list);
    for (const partition of partitions) {
      while (list.length < partition) list.push(null);
      list[partition] = to;
    }
  }
  const owners = new Map(previous);
  for (const [topic, list] of changed) {
    while (list.length > 0 && list.at(-1) === null) list.pop();
    if (list.length === 0) owners.delete(topic);
    else owners.set(topic, list);
  }
  return owners;
}

/** The input of an assignment; subscribers are in the order of members. */
interface Spread {
  readonly members: Members;
  readonly subscribers: ReadonlyMap<string, readonly string[]>;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Per topic, each subscriber gets an equal number of consecutive partitions, and the first
 * subscribers get one more each if the division leaves a remainder (Kafka: RangeAssignor).
 */
function range({ subscribers, counts }: Spread): Owners {
  const owners = new Map<string, string[]>();
  for (const [topic, count] of counts) {
    const own = subscribers.get(topic) ?? [];
    const share = Math.floor(count / own.length);
    const extra = count % own.length;
    const list: string[] = [];
    for (const [index, instance] of own.entries()) {
      const end = list.length + share + (index < extra ? 1 : 0);
      while (list.length < end) list.push(instance);
    }
    owners.set(topic, list);
  }
  return owners;
}

/**
 * Deals the partitions in order to the members in order, skipping members that are not subscribed
 * to the topic (Kafka: RoundRobinAssignor).
 */
function roundRobin({ members, subscribers, counts }: Spread): Owners {
  const owners = new Map<string, string[]>();
  const places = new Map(idsOf(members).map((instance, place) => [instance, place]));
  const placeOf = (instance: string) => places.get(instance) ?? 0;
  /** The place of the member whose turn it is. */
  let turn = 0;
  for (const topic of bytewise([...counts.keys()])) {
    const own = subscribers.get(topic) ?? [];
    // Only the first partition of a topic looks for its member: a group may have thousands of
    // members, few of which are subscribed.
    const first = Math.max(
      0,
      own.findIndex((instance) => placeOf(instance) >= turn),
    );
    const list = Array.from({ length: counts.get(topic) ?? 0 }, (_, partition) => {
      return own[(first + partition) % own.length] ?? '';
    });
    owners.set(topic, list);
    turn = placeOf(list.at(-1) ?? '') + 1;
  }
  return owners;
}

/**
 * An owner keeps its partitions unless another member has at least two fewer; then as few as
 * possible move (KIP-54).
 */
function sticky(spread: Spread, previous: Owners): Owners {
  const { subscribers, counts } = spread;
  const ids = idsOf(spread.members);
  const owned = new Map<string, Holding>(ids.map((instance) => [instance, new Holding()]));
  const loads = (instance: string) => owned.get(instance)?.size ?? 0;
  const orphans = new Map<string, number[]>();
  for (const topic of bytewise([...counts.keys()])) {
    const own = new Set(subscribers.get(topic));
    const left: number[] = [];
    for (let partition = 0; partition < (counts.get(topic) ?? 0); partition += 1) {
      const owner = previous.get(topic)?.[partition] ?? null;
      if (owner !== null && own.has(owner)) owned.get(owner)?.add({ topic, partition });
      else left.push(partition);
    }
    if (left.length > 0) orphans.set(topic, left);
  }
  for (const [topic, left] of orphans) {
    const takers = leastLoadedFirst(subscribers.get(topic) ?? [], loads);
    for (const partition of left) {
      const taker = takers.pop();
      if (taker === undefined) break;
      owned.get(taker.instance)?.add({ topic, partition });
      taker.load += 1;
      takers.push(taker);
    }
  }
  while (levelOnce(ids, subscribers, owned, loads));
  return ownersOf(owned, counts);
}

/**
 * The partitions of one member, by topic, so that giving one away is cheap: a member may own
 * thousands, half of which move to the next member.
 */
class Holding {
  size = 0;
  private readonly byTopic = new Map<string, number[]>();

  /** The topics, in the order in which their first partitions were added. */
  get topics(): Iterable<string> {
    return this.byTopic.keys();
  }

  *[Symbol.iterator](): Generator<Partition> {
    for (const [topic, partitions] of this.byTopic) {
      for (const partition of partitions) yield { topic, partition };
    }
  }

  add({ topic, partition }: Partition): void {
    this.size += 1;
    const partitions = this.byTopic.get(topic);
    if (partitions === undefined) this.byTopic.set(topic, [partition]);
    else partitions.push(partition);
  }

  /** Gives the last partition of a topic to another member. */
  give(topic: string, to: Holding): void {
    const partitions = this.byTopic.get(topic);
    const partition = partitions?.pop();
    if (partitions?.length === 0) this.byTopic.delete(topic);
    if (partition === undefined) return;
    this.size -= 1;
    to.add({ topic, partition });
  }
}

/**
 * Moves one partition from the fullest member that can give one; false if the assignment is
 * balanced.
 */
function levelOnce(
  ids: readonly string[],
  subscribers: Spread['subscribers'],
  owned: ReadonlyMap<string, Holding>,
  loads: (instance: string) => number,
): boolean {
  const least = ids.reduce((low, instance) => Math.min(low, loads(instance)), Infinity);
  // Most members are not above the minimum by two or more, so they have nothing to give and need no
  // sorting.
  const fullestFirst = ids
    .filter((instance) => loads(instance) > least + 1)
    .sort((left, right) => loads(right) - loads(left));
  const takers = new Map<string, string>();
  for (const from of fullestFirst) {
    const holding = owned.get(from);
    for (const topic of holding?.topics ?? []) {
      const to = takers.get(topic) ?? leastLoaded(subscribers.get(topic) ?? [], loads);
      takers.set(topic, to);
      const taker = owned.get(to);
      if (taker === undefined || loads(from) <= taker.size + 1) continue;
      holding?.give(topic, taker);
      return true;
    }
  }
  return false;
}

function ownersOf(
  owned: ReadonlyMap<string, Iterable<Partition>>,
  counts: ReadonlyMap<string, number>,
): Owners {
  const owners = new Map<string, (string | null)[]>();
  for (const [topic, count] of counts) owners.set(topic, new Array<null>(count).fill(null));
  for (const [instance, partitions] of owned) {
    for (const { topic, partition } of partitions) {
      const list = owners.get(topic);
      if (list !== undefined) list[partition] = instance;
    }
  }
  return owners;
}

interface Taker {
  readonly instance: string;
  load: number;
  readonly place: number;
}

/** These members, the least loaded first, and of equally loaded ones the first. */
function leastLoadedFirst(
  instances: readonly string[],
  loads: (instance: string) => number,
): TinyQueue<Taker> {
  const takers = instances.map((instance, place) => ({ instance, load: loads(instance), place }));
  return new TinyQueue(takers, (one, other) => one.load - other.load || one.place - other.place);
}

function leastLoaded(instances: readonly string[], loads: (instance: string) => number): string {
  return instances.reduce((least, next) => (loads(next) < loads(least) ? next : least));
}

function idsOf(members: Members): string[] {
  return [...members].map(({ instance }) => instance);
}

function subscribersByTopic(members: Members): Map<string, string[]> {
  const subscribers = new Map<string, string[]>();
  for (const { instance, topics } of members) {
    for (const topic of topics) {
      const own = subscribers.get(topic);
      if (own === undefined) subscribers.set(topic, [instance]);
      else own.push(instance);
    }
  }
  return subscribers;
}
