/** Names and paths: what lies where in a data folder. Log names never become file names. */
import { join } from 'node:path';

/** The parts of a data folder. */
export class StoreDirectory {
  readonly lock: string;
  readonly reserve: string;
  readonly watermarks: string;
  /** Groups of many logs, before the files of the segments are synced. */
  readonly wal: string;
  readonly logs: string;
  /** Files on their way to their name; emptied at every start. */
  readonly aside: string;
  /** What users of logs remember of them; may be deleted at any time. */
  readonly snapshots: string;
  /** What recovery would not throw away. Nothing here is ever deleted by the store. */
  readonly quarantine: string;

  constructor(readonly path: string) {
    this.lock = this.at('LOCK');
    this.reserve = this.at('RESERVE');
    this.watermarks = this.at('WATERMARKS');
    this.wal = this.at('WAL');
    this.logs = this.at('logs');
    this.aside = this.at('tmp');
    this.snapshots = this.at('snapshots');
    this.quarantine = this.at('quarantine');
  }

  /** The manifest exists twice: `copy` 0 is written first. */
  manifest(copy: 0 | 1): string {
    return this.at(copy === 0 ? 'MANIFEST' : 'MANIFEST.copy');
  }

  /** The directory of a log. */
  log(logId: number): string {
    return join(this.logs, padded(logId));
  }

  /** The file of a segment. */
  segment(logId: number, number: number): string {
    return join(this.log(logId), `${padded(number)}.log`);
  }

  /** The index of a segment: derived, rebuilt when it is missing or wrong. */
  index(logId: number, number: number): string {
    return join(this.log(logId), `${padded(number)}.index`);
  }

  /** Digests of records that went from a segment which stands in the place of others. */
  pruned(logId: number, number: number): string {
    return join(this.log(logId), `${padded(number)}.pruned`);
  }

  /** What the sealed segments of a log were, one entry for each. */
  chain(logId: number): string {
    return join(this.log(logId), chainName);
  }

  /** A file on the way to its name: gone after the next start. */
  asideFile(name: string): string {
    return join(this.aside, name);
  }

  /** Where a start, the one of `epoch`, keeps what it would not throw away. */
  quarantined(epoch: number, name: string): string {
    return join(this.quarantine, `${padded(epoch)}-${name}`);
  }

  private at(name: string): string {
    return join(this.path, name);
  }
}

/** The name of a log's chain in its directory. */
export const chainName = 'CHAIN';

/** What the files of a segment are called. */
export type SegmentFile = 'log' | 'index' | 'pruned';

/** Padded, so that a listing is in order. */
function padded(number: number): string {
  return String(number).padStart(10, '0');
}

/** The number in a log directory's name, or null for any other name. */
export function parseLogName(name: string): number | null {
  return /^\d{10}$/.test(name) ? Number(name) : null;
}

/** The number of a segment and which of its files a name means, or null for any other name. */
export function parseSegmentName(name: string): { number: number; kind: SegmentFile } | null {
  const match = /^(\d{10})\.(log|index|pruned)$/.exec(name);
  if (match === null) return null;
  // The pattern has no others.
  return { number: Number(match[1]), kind: match[2] as SegmentFile };
}
