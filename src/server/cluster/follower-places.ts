/**
 * Which nodes there are besides the owner, and how much of the shared log each of them has. They
 * report it to the owner, which writes it into a log that all nodes share: so the next owner knows
 * it too, and a new node finds the others.
 */
import { z } from 'zod';
import type { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { jsonAs } from '../../grammar/json.js';
import { keepLatest, latestIn } from './kept/latest-record.js';
import type { FollowerStatus } from './membership.js';

/** The name of the log with the nodes. */
export const nodesLogName = '__cluster_nodes';

/** How many nodes are remembered: a cluster has a handful. */
const nodesMax = 64;

/** What a node reports about itself. */
export const standingSchema = z.object({
  /** The address at which other nodes reach it. */
  node: z.string().max(1024),
  /** Its folder has everything before this place of the shared log. */
  place: z.number().nonnegative(),
  /** The version of its program. */
  version: z.string().max(64).optional(),
  /** The node is fetching the folder of another node; its place does not change until it has it. */
  fetches: z.boolean().optional(),
});

/** The body of `PUT /node/standing`. */
export type NodeStanding = z.output<typeof standingSchema>;

/** `silentMs`: how long the place of the node has not changed. */
const recordSchema = z.array(standingSchema.extend({ silentMs: z.number() }));

/** What is known of a node; times are monotonic, in ms. */
interface Known {
  readonly place: number;
  readonly version: string | null;
  /** When the node reached this place, or last reported that it is fetching. */
  readonly at: number;
  /** When the node was last heard; if an earlier owner noted it, when it reached its place. */
  readonly heardAt: number;
}

/**
 * Kept in the memory of the owner; `write` makes it durable for the next owner. Holds at most 64
 * nodes.
 */
export class FollowerPlaces {
  private readonly known = new Map<string, Known>();

  /** A node whose place has not changed for `retentionMs` no longer counts, unless it `fetches`. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly retentionMs: number,
  ) {}

  /** A node reports its place; it may have started anew. */
  heard({ node, place, version, fetches = false }: NodeStanding): void {
    const known = this.known.get(node);
    if (known === undefined && this.known.size >= nodesMax) return;
    const heardAt = this.clock.monotonic();
    const stands = known?.place === place && !fetches;
    const at = stands ? known.at : heardAt;
    this.known.set(node, { place, version: version ?? null, heardAt, at });
  }

  /** The nodes that count, for an owner at `place`, ordered by address. */
  statusAt(place: number): readonly FollowerStatus[] {
    const now = this.clock.monotonic();
    const all = [...this.known].filter(([, { at }]) => now - at < this.retentionMs);
    return all.toSorted(byAddress).map(([node, known]) => ({
      node,
      behind: Math.max(0, place - known.place),
      heardMsAgo: Math.round(now - known.heardAt),
      version: known.version,
    }));
  }

  /** The first place that some counting node does not have; null if no node counts. */
  get slowest(): number | null {
    let slowest: number | null = null;
    for (const [node, { place, at }] of this.known) {
      if (this.clock.monotonic() - at >= this.retentionMs) this.known.delete(node);
      else slowest = Math.min(slowest ?? place, place);
    }
    return slowest;
  }

  /** Writes down the known nodes, and the place of the owner itself. */
  async write(store: Store, owner: NodeStanding): Promise<void> {
    const log = store.log(nodesLogName) ?? (await store.createLog(nodesLogName));
    const now = this.clock.monotonic();
    const others = [...this.known].map(([node, { place, at }]) => {
      return { node, place, silentMs: Math.round(now - at) };
    });
    await keepLatest(log, [{ ...owner, silentMs: 0 }, ...others]);
  }

  /** Reads what the previous owner wrote down; `own` is the address of this node. */
  async read(store: Store, own: string): Promise<void> {
    const log = store.log(nodesLogName);
    const value = log === undefined ? null : await latestIn(log);
    if (value === null) return;
    for (const { node, place, silentMs } of nodesIn(value)) {
      if (node === own || this.known.has(node)) continue;
      const at = this.clock.monotonic() - silentMs;
      this.known.set(node, { place, version: null, at, heardAt: at });
    }
  }
}

function byAddress([one]: readonly [string, Known], [other]: readonly [string, Known]): number {
  return one < other ? -1 : 1;
}

/** The nodes in a record, the owner first; empty if it is not a record of nodes. */
export function nodesIn(value: Buffer): z.output<typeof recordSchema> {
  return jsonAs(value, recordSchema) ?? [];
}
