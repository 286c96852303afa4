/** Finds the nodes of a cluster in its shared log, for a node that has nothing else. */
import { decodeRecords } from '../../../storage/format/record.js';
import type { CommitLog, SharedLogEntry } from '../../cluster/commit-log.js';
import { decodeEntry } from '../../cluster/entry.js';
import { nodesIn, nodesLogName } from '../cluster/follower-places.js';
import { decodeChanges } from '../cluster/log-changes.js';

/** The owner writes the nodes down every few seconds, so this many entries are searched first. */
const entriesFirst = 4096;

/** What the shared log last said about its nodes. */
export interface KnownNodes {
  /** The first place that the log still has. */
  readonly start: number;
  /** The address of the owner; null if none was found. */
  readonly owner: string | null;
  /** The addresses of the other nodes, the one with the most entries first. */
  readonly followers: readonly string[];
}

/** Rejects as the log does. */
export async function knownNodes(log: CommitLog): Promise<KnownNodes> {
  const end = await log.end();
  for (let entries = entriesFirst; ; entries *= 4) {
    const from = Math.max(0, end - entries);
    const found = await lookThrough(log, from, end);
    if (found.owner !== null || from <= found.start) return found;
  }
}

async function lookThrough(log: CommitLog, from: number, end: number): Promise<KnownNodes> {
  let found: KnownNodes = { start: 0, owner: null, followers: [] };
  for (let at = from; at < end; ) {
    const { start, entries } = await log.read(at);
    found = { ...found, start };
    for (const entry of entries) found = { ...found, ...saidBy(entry) };
    const last = entries.at(-1);
    if (last === undefined && start <= at) break;
    // For a place that Kafka no longer has, `read` returns the start and no entries.
    at = last === undefined ? start : last.place + 1;
  }
  return found;
}

function saidBy({ bytes }: SharedLogEntry): Partial<KnownNodes> {
  const decoded = decodeEntry(bytes);
  if (decoded?.kind === 'claim') return { owner: decoded.node };
  // Entries in several parts are ignored: the owner repeats the record within a few seconds.
  if (decoded?.kind !== 'part' || decoded.parts > 1) return {};
  let latest: Partial<KnownNodes> = {};
  for (const change of decodeChanges(decoded.body)) {
    if (change.kind !== 'appended' || change.log !== nodesLogName) continue;
    const { baseOffset, body } = change.records;
    const value = decodeRecords(body, baseOffset, baseOffset).at(-1)?.value;
    const [owner, ...others] = nodesIn(value ?? Buffer.alloc(0));
    if (owner === undefined) continue;
    const followers = others.toSorted((one, other) => other.place - one.place);
    latest = { owner: owner.node, followers: followers.map(({ node }) => node) };
  }
  return latest;
}
