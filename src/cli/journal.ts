/** What the commands of `stepwell journal` do. */
import { nodeDisk } from '../../storage/disk/node-disk.js';
import type { Store } from '../../storage/store.js';
import { readChainHead } from '../../storage/verify/chain-head.js';
import { systemClock } from '../engine/clock.js';
import { type Journal, journalLogName } from '../engine/journal.js';
import { imageLabel } from '../engine/snapshots/memory-image.js';
import { version } from '../grammar/version.js';
import { sweepStretch } from '../server/history/journal-sweeps.module.js';
import { productFolding } from '../server/history/product-folding.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { exportGood } from '../server/repair/export-good.js';
import { readBuild } from './build.js';
import type { DataDirOption } from './folder/folder-option.js';
import { configurationOf, configuredFolder } from './folder/owned-folder.js';
import { exportLines } from './journal/export-lines.js';
import { type PrintOptions, printedLines } from './journal/journal-print.js';
import { readerOptions, readFolder, readJournal } from './journal/journal-reader.js';
import { type Comparison, type ReplayOptions, replayedLines } from './journal/journal-replay.js';
import { verifyFolder } from './journal/journal-verify.js';
import type { KeptHead } from './journal/kept-head.js';
import { comparedWithSnapshot } from './journal/snapshot-comparison.js';
import { committedOffsetLines, recordLines } from './journal/topic-lines.js';
import { printError, printLines, progressLine } from './output/terminal.js';

interface ArchiveOption {
  readonly archive?: string;
}

/** The options of `stepwell journal replay`. */
export interface ReplayCommandOptions extends ReplayOptions, DataDirOption, ArchiveOption {
  readonly offsets?: boolean;
  readonly records?: string;
}

/**
 * Folds the journal in memory and prints the result; the exit code is 1 if it differs from a digest
 * or a snapshot.
 */
export async function replayJournal(options: ReplayCommandOptions): Promise<void> {
  const { config } = configurationOf(options);
  const folder = await configuredFolder(options);
  const build = (await readBuild(nodeDisk)) ?? version;
  const settings = { ...config, sweepStretch: sweepStretch(config, {}) };
  const folding = productFolding(settings);
  const progress = progressLine(systemClock);
  const look = async (store: Store, journal: Journal | null) => {
    const { offsets, records } = options;
    if (offsets === true) await printLines(committedOffsetLines(store));
    if (records !== undefined) await printLines(recordLines(store, records));
    if (offsets === true || records !== undefined || journal === null) return;
    const label = imageLabel(folding.engine, build);
    const compare: Comparison = {
      label,
      differs: () => {
        process.exitCode = exitCodes.failure;
      },
      withSnapshot: (until) =>
        comparedWithSnapshot(store, label, { folding, until }, productFolding(settings)),
    };
    const { show: onProgress } = progress;
    await printLines(replayedLines({ journal, folding, options, onProgress, compare }));
  };
  await readFolder(folder, folding.codec, look, options.archive).finally(progress.clear);
}

/** The options of `stepwell journal print`. */
export interface PrintJournalOptions extends PrintOptions, DataDirOption, ArchiveOption {}

/** Prints while reading; redacted fields are hidden unless `reveal` is given. */
export async function printJournal(options: PrintJournalOptions): Promise<void> {
  const look = async (journal: Journal | null) => {
    if (journal !== null) await printLines(printedLines(journal, options));
  };
  await readJournal(await configuredFolder(options), look, options.archive);
}

/**
 * `against`: heads that were kept elsewhere; if empty, the folder is only checked against itself.
 */
export interface VerifyOptions extends DataDirOption {
  readonly against?: readonly KeptHead[];
}

/** Throws if no part of the journal is sealed yet. */
export async function printDigest(options: DataDirOption): Promise<void> {
  const head = await readChainHead(nodeDisk, await configuredFolder(options), journalLogName);
  if (head === null) throw new Error('no part of the journal is sealed yet');
  await printLines([`digest ${head.digest} at ${head.offset}`]);
}

/**
 * Reads everything. Problems are printed to standard error, and if there are any, the exit code is
 * 65.
 */
export async function verifyJournal(options: VerifyOptions): Promise<void> {
  const progress = progressLine(systemClock);
  const folder = await configuredFolder(options);
  const { lines, problems } = await verifyFolder(folder, progress.show, options.against).finally(
    progress.clear,
  );
  await printLines(lines);
  for (const problem of problems) printError(problem);
  if (problems.length > 0) process.exitCode = exitCodes.damagedData;
}

/** Rejects as `exportGood` does; then nothing remains of `folder`. */
export async function exportFolder(folder: string, options: DataDirOption): Promise<void> {
  const progress = progressLine(systemClock);
  const from = await configuredFolder(options);
  const tools = { disk: nodeDisk, options: readerOptions, onProgress: progress.show };
  const report = await exportGood(tools, from, folder).finally(progress.clear);
  await printLines(exportLines(from, folder, report));
}
