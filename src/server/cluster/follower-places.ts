/**
 * Which nodes there are beside the owner, and what of the shared log each of them has. The owner
 * hears it from them, and writes it into a log of its store that all nodes share: so the next owner
 * knows it too, and a node that has nothing yet finds the others.
 */
import { z } from 'zod';
import type { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { parseJson } from '../../grammar/json.js';
import { keepLatest, latestIn } from './kept/latest-record.js';
import type { FollowerStatus } from './membership.js';

/** The name of the log of nodes. */
export const nodesLogName = '__cluster_nodes';

/** More are not remembered: a cluster has a handful. */
const nodesMax = 64;

/** What a node says of itself. */
export const standingSchema = z.object({
  /** At which other nodes reach it. */
  node: z.string().max(1024),
  /** Its folder has all that lies before this place of the shared log. */
  place: z.number().nonnegative(),
  /** Of its program. */
  version: z.string().max(64).optional(),
  /** The folder of another node is on its way to it: its place stays until it has that. */
  fetches: z.boolean().optional(),
});

/** The body of `PUT /node/standing`. */
export type NodeStanding = z.output<typeof standingSchema>;

/** `silentMs`: since its place has changed. */
const recordSchema = z.array(standingSchema.extend({ silentMs: z.number() }));

/** What is known of a node; times are monotonic milliseconds. */
interface Known {
  readonly place: number;
  readonly version: string | null;
  /** When it came to this place, or last said that it fetches. */
  readonly at: number;
  /** When it was last heard; of one that an owner before has written down, when it came there. */
  readonly heardAt: number;
}

/**
 * In the memory of the owner; `write` makes it durable for the next one. It knows 64 nodes at most.
 */
export class FollowerPlaces {
  private readonly known = new Map<string, Known>();

  /** One whose place does not change for `retentionMs` counts no longer, unless it `fetches`. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly retentionMs: number,
  ) {}

  /** A node says where it stands; it may have begun anew. */
  heard({ node, place, version, fetches = false }: NodeStanding): void {
    const known = this.known.get(node);
    if (known === undefined && this.known.size >= nodesMax) return;
    const heardAt = this.clock.monotonic();
    const stands = known?.place === place && !fetches;
    const at = stands ? known.at : heardAt;
    this.known.set(node, { place, version: version ?? null, heardAt, at });
  }

  /** Those that count, for an owner that has come to `place`; in the order of their addresses. */
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

  /** The first place that one of those which count does not have; null = none counts. */
  get slowest(): number | null {
    let slowest: number | null = null;
    for (const [node, { place, at }] of this.known) {
      if (this.clock.monotonic() - at >= this.retentionMs) this.known.delete(node);
      else slowest = Math.min(slowest ?? place, place);
    }
    return slowest;
  }

  /** Writes down who they are, and that `owner` stands where it stands. */
  async write(store: Store, owner: NodeStanding): Promise<void> {
    const log = store.log(nodesLogName) ?? (await store.createLog(nodesLogName));
    const now = this.clock.monotonic();
    const others = [...this.known].map(([node, { place, at }]) => {
      return { node, place, silentMs: Math.round(now - at) };
    });
    await keepLatest(log, [{ ...owner, silentMs: 0 }, ...others]);
  }

  /** Learns what the owner before has written down; `own` is this node. */
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

/** The nodes that a record names, the owner first; none where it is no record of nodes. */
export function nodesIn(value: Buffer): z.output<typeof recordSchema> {
  const json = parseJson(value);
  const parsed = recordSchema.safeParse(json.ok ? json.value : null);
  return parsed.success ? parsed.data : [];
}
