/** Names and paths of everything in a data folder. Log names never become file names. */
import { join } from 'node:path';

/** The parts of a data folder. */
export class StoreDirectory {
  readonly lock: string;
  readonly reserve: string;
  readonly watermarks: string;
  /** The write-ahead log: groups of many logs, before the files of their segments are synced. */
  readonly wal: string;
  readonly logs: string;
  /** Unfinished files, before they get their name; emptied at every start. */
  readonly aside: string;
  /** Snapshots of what users of logs remember; may be deleted at any time. */
  readonly snapshots: string;
  /** Files that recovery would not delete. The store never deletes anything here. */
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

  /** Digests of records that were removed when the segment replaced others. */
  pruned(logId: number, number: number): string {
    return join(this.log(logId), `${padded(number)}.pruned`);
  }

  /** The chain of a log, with an entry for each segment that was sealed. */
  chain(logId: number): string {
    return join(this.log(logId), chainName);
  }

  /** A file that does not have its final name yet: the next start removes it. */
  asideFile(name: string): string {
    return join(this.aside, name);
  }

  /** Where the start of `epoch` keeps a file that it would not delete. */
  quarantined(epoch: number, name: string): string {
    return join(this.quarantine, `${padded(epoch)}-${name}`);
  }

  private at(name: string): string {
    return join(this.path, name);
  }
}

/** The name of a log's chain in its directory. */
export const chainName = 'CHAIN';

/** The kinds of files of a segment. */
export type SegmentFile = 'log' | 'index' | 'pruned';

/** Padded, so that a listing is sorted. */
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
  // Cast: the pattern allows no other kinds.
  return { number: Number(match[1]), kind: match[2] as SegmentFile };
}
