/**
 * `journal export --good`: a folder with everything that is intact, and a report of what is
 * missing.
 */
import type { Disk } from '../../../storage/disk/disk.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { OffsetRange } from '../../../storage/offsets/offset.js';
import {
  type DamagedStore,
  type Salvaged,
  salvageFolder,
} from '../../../storage/salvage/salvage-folder.js';
import type { StoreOptions } from '../../../storage/store.js';
import { structuresTerm } from '../../engine/event-codec.js';
import { journalLogName } from '../../engine/journal.js';
import { backupFile, encoded, manifestOf } from '../backup/backup-manifest.js';
import { credentialsIn, refuseOverlap } from '../backup/folder-backup.js';
import { credentialsFile } from '../credentials/credentials.js';
import { type JournalFindings, JournalRepair } from './journal-repair.js';
import { recordsOf } from './log-records.js';

/** The name of the report in an exported folder. */
export const exportFile = 'export.json';

/** Offsets of a log that are lost, and what that means. */
export interface Gap extends OffsetRange {
  readonly log: string;
  readonly means: string;
}

/** What an export has left out, and the consequences. */
export interface ExportReport extends JournalFindings {
  readonly damages: readonly string[];
  readonly gaps: readonly Gap[];
}

/** What an export needs. */
export interface ExportTools {
  readonly disk: Disk;
  /** For reading a store. */
  readonly options: StoreOptions;
  onProgress(doing: string): void;
}

/** The log that a server creates before all others. */
const journal = { name: journalLogName, settings: { preparesNextSegment: true } };

const nothingFound: JournalFindings = { changed: [], uncertain: [], removedEvents: 0 };

/**
 * Exports what is intact in `from` to `to`, which must be empty or absent and then is a backup: it
 * must be imported, or restored, before a server can use it. Rejects with `ConfigurationError` if
 * one folder lies in the other, and as `salvageFolder` does.
 */
export async function exportGood(
  { disk, options, onProgress }: ExportTools,
  from: string,
  to: string,
): Promise<ExportReport> {
  refuseOverlap(from, to);
  const credentials = await credentialsIn(disk, from);
  const gaps: Gap[] = [];
  let findings = nothingFound;
  let report: ExportReport | null = null;
  await salvageFolder(disk, from, to, options, {
    known: { first: journal },
    onProgress,
    async repair(damaged) {
      findings = await repaired(damaged, gaps);
    },
    names: [credentialsFile, backupFile, exportFile],
    make(salvaged) {
      report = { damages: salvaged.damages, gaps, ...findings };
      const said = encoded(manifestOf(copyOf(salvaged), options.now()));
      return new Map([...credentials, [exportFile, encoded(report)], [backupFile, said]]);
    },
  });
  if (report === null) throw new Error('an export was made that says nothing of itself');
  return report;
}

/**
 * Rewrites every damaged segment as one with gaps; then repairs the journal so that it can be
 * replayed.
 */
async function repaired({ store, segments }: DamagedStore, gaps: Gap[]): Promise<JournalFindings> {
  let findings = nothingFound;
  for (const log of store.logs()) {
    const isJournal = log.name === journalLogName;
    const shapes = isJournal ? await latestShapes(log) : null;
    const { healed = [] } = await log.sweep({
      until: log.endOffset,
      keeps: () => true,
      settled: async () => undefined,
      healing: {
        segments: segments.get(log.name) ?? new Set(),
        // A gap may have held the definition of shapes that later events need, so add the latest
        // one.
        filler: () =>
          shapes === null
            ? null
            : { key: null, value: shapes, timestamp: 0, terms: [structuresTerm] },
      },
    });
    gaps.push(...healed.map((range) => ({ log: log.name, ...range, means: meaningOf(log.name) })));
    if (isJournal) findings = await new JournalRepair(log, healed).run();
  }
  return findings;
}

/** The latest definition of shapes; it includes all earlier ones. */
async function latestShapes(journal: PartitionLog): Promise<Buffer | null> {
  let latest: Buffer | null = null;
  for await (const { key, value } of recordsOf(journal)) if (key === null) latest = value;
  return latest;
}

function meaningOf(log: string): string {
  if (log === journalLogName) return 'events are lost: see changed and uncertain';
  if (log.startsWith('topic/__')) {
    return 'committed offsets are lost: groups may read records again from an older place';
  }
  return 'records are lost: who reads passes over them';
}

/** The copy is a backup without damage: what is damaged was left out. */
function copyOf({ storeId, epoch, bytes, logs }: Salvaged): Parameters<typeof manifestOf>[0] {
  const until = new Map(logs.map(({ name, until: end }) => [name, end]));
  return { storeId, epoch, linkedBytes: 0, copiedBytes: bytes, until, lost: [], damages: [] };
}
