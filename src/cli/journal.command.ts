/** `stepwell journal`: looking at a data folder, and exporting from it, without touching it. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import type { Store } from '../../storage/store.js';
import { readChainHead } from '../../storage/verify/chain-head.js';
import { systemClock } from '../engine/clock.js';
import { type Journal, journalLogName } from '../engine/journal.js';
import { version } from '../grammar/version.js';
import { readConfiguration } from '../server/configuration/config.js';
import { type JournalMoment, readMoment } from '../server/journal/journal-moment.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { exportGood } from '../server/repair/export-good.js';
import { importCommand } from './backup.command.js';
import { readBuild } from './build.js';
import { type DataDirOption, dataDirOption, givenSettings } from './folder-option.js';
import { exportLines } from './journal/export-lines.js';
import { type PrintOptions, printedLines } from './journal/journal-print.js';
import { readerOptions, readFolder, readJournal } from './journal/journal-reader.js';
import type { Comparison, ReplayOptions } from './journal/journal-replay.js';
import { verifyFolder } from './journal/journal-verify.js';
import { type KeptHead, readKeptHead } from './journal/kept-head.js';
import { examplesText } from './output/examples.js';
import { complain, progressLine, say, sayAll } from './output/terminal.js';
import { configuredFolder } from './owned-folder.js';

export function journalCommand(): Command {
  const journal = new Command('journal').description(
    'look at the data folder, which it never changes',
  );
  journal.addCommand(
    new Command('print')
      .description('print the journal, one line per event')
      .addHelpText(
        'after',
        examplesText([
          'stepwell journal print --stream msg_1',
          'stepwell journal print --from 1000 --until 1100 --json',
        ]),
      )
      .option('--stream <id>', 'only this stream: message/msg_1, or msg_1')
      .option('--from <offset>', 'from this offset on', offsetOption)
      .option('--until <offset>', 'up to this offset, exclusive', offsetOption)
      .option('--json', 'one JSON object per line')
      .option('--reveal', 'show what is redacted, and secrets of the server, in clear')
      .addOption(archiveOption())
      .addOption(dataDirOption())
      .action(print),
  );
  journal.addCommand(
    new Command('verify')
      .description('check every checksum, chain and index of the data folder')
      .addHelpText(
        'after',
        examplesText([
          'stepwell journal verify',
          'stepwell journal verify --against <digest>@<offset>',
        ]),
      )
      .option(
        '--against <digest[@offset]>',
        'a digest of the journal that was kept elsewhere; may be given more than once',
        againstOption,
        [],
      )
      .addOption(dataDirOption())
      .action(verify),
  );
  journal.addCommand(
    new Command('export')
      .description('make a folder of everything that is intact: what to do at exit code 65')
      .addHelpText('after', examplesText(['stepwell journal export --good /tmp/good']))
      .argument('<folder>', 'where it goes; it must be empty, or not there')
      .requiredOption('--good', 'leave out what is damaged, and say what that is')
      .addOption(dataDirOption())
      .action(exportFolder),
  );
  journal.addCommand(importCommand());
  journal.addCommand(replayCommand());
  journal.addCommand(
    new Command('digest')
      .description('print the digest of the sealed part of the journal, to be kept elsewhere')
      .addHelpText('after', examplesText(['stepwell journal digest']))
      .addOption(dataDirOption())
      .action(digest),
  );
  return journal;
}

function replayCommand(): Command {
  return new Command('replay')
    .description('fold the journal again and print what memory was, or the events that are meant')
    .addHelpText(
      'after',
      examplesText([
        'stepwell journal replay --until 2026-11-20T12:00:00Z',
        'stepwell journal replay --stream run/order-7',
      ]),
    )
    .option('--until <moment>', 'up to this offset, exclusive, or time, inclusive', momentOption)
    .option('--since <moment>', 'events from this offset or time on', momentOption)
    .option('--stream <id>', 'the life of this stream in words, with its messages')
    .option('--type <types>', 'events of these types, comma separated', typeOption)
    .option('--by <principal>', 'events of a credential; of server, of unknown, of run/wfr_1')
    .option('--offsets', 'print what groups have committed')
    .option('--records <topic>', 'print the records of a topic')
    .option('--json', 'JSON')
    .option('--csv', 'CSV')
    .option('--reveal', 'show what is redacted, and secrets of the server, in clear')
    .addOption(archiveOption())
    .addOption(dataDirOption())
    .action(replay);
}

/** See `archivedSegments`. */
function archiveOption(): Option {
  const what = 'read what sweeps have removed from this archive, too (STEPWELL_ARCHIVE_DIR)';
  return new Option('--archive <folder>', what);
}

interface ArchiveOption {
  readonly archive?: string;
}

function offsetOption(text: string): number {
  const offset = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset;
  throw new InvalidArgumentError('An offset is a whole number.');
}

function againstOption(text: string, before: readonly KeptHead[]): readonly KeptHead[] {
  const kept = readKeptHead(text);
  if (kept !== null) return [...before, kept];
  throw new InvalidArgumentError('A digest is 64 hex digits, and may have @<offset> behind it.');
}

function momentOption(text: string): JournalMoment {
  const moment = readMoment(text);
  if (moment.ok) return moment.value;
  throw new InvalidArgumentError(`It ${moment.message}.`);
}

function typeOption(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',')];
}

interface ReplayCommandOptions extends ReplayOptions, DataDirOption, ArchiveOption {
  readonly offsets?: boolean;
  readonly records?: string;
}

async function replay(options: ReplayCommandOptions): Promise<void> {
  const { config } = readConfiguration(undefined, 'start', givenSettings(options));
  const folder = await configuredFolder(options);
  // They bring all deciders: the other commands start without.
  const { productFolding } = await import('../server/history/product-folding.js');
  const { sweepStretch } = await import('../server/history/journal-sweeps.module.js');
  const { replayedLines } = await import('./journal/journal-replay.js');
  const { committedOffsetLines, recordLines } = await import('./journal/topic-lines.js');
  const { imageLabel } = await import('../engine/snapshots/memory-image.js');
  const { comparedWithSnapshot } = await import('./journal/snapshot-comparison.js');
  const build = (await readBuild(nodeDisk)) ?? version;
  const settings = { ...config, sweepStretch: sweepStretch(config, {}) };
  const folding = productFolding(settings);
  const progress = progressLine(systemClock);
  const look = async (store: Store, journal: Journal | null) => {
    const { offsets, records } = options;
    if (offsets === true) await sayAll(committedOffsetLines(store));
    if (records !== undefined) await sayAll(recordLines(store, records));
    if (offsets === true || records !== undefined || journal === null) return;
    const differs = () => {
      process.exitCode = exitCodes.failure;
    };
    const compare: Comparison = {
      label: imageLabel(folding.engine, build),
      differs,
      withSnapshot: (until) =>
        comparedWithSnapshot(store, folding, productFolding(settings), until, build, differs),
    };
    await sayAll(replayedLines(journal, folding, options, progress.show, compare));
  };
  await readFolder(folder, folding.codec, look, options.archive).finally(progress.clear);
}

async function print(options: PrintOptions & DataDirOption & ArchiveOption): Promise<void> {
  const look = async (journal: Journal | null) => {
    if (journal !== null) await sayAll(printedLines(journal, options));
  };
  await readJournal(await configuredFolder(options), look, options.archive);
}

interface VerifyOptions extends DataDirOption {
  readonly against: readonly KeptHead[];
}

async function digest(options: DataDirOption): Promise<void> {
  const head = await readChainHead(nodeDisk, await configuredFolder(options), journalLogName);
  if (head === null) throw new Error('no part of the journal is sealed yet');
  say(`digest ${head.digest} at ${head.offset}`);
}

async function verify(options: VerifyOptions): Promise<void> {
  const progress = progressLine(systemClock);
  const folder = await configuredFolder(options);
  const { lines, problems } = await verifyFolder(folder, progress.show, options.against).finally(
    progress.clear,
  );
  await sayAll(lines);
  for (const problem of problems) complain(problem);
  if (problems.length > 0) process.exitCode = exitCodes.damagedData;
}

async function exportFolder(folder: string, options: DataDirOption): Promise<void> {
  const progress = progressLine(systemClock);
  const from = await configuredFolder(options);
  const tools = { disk: nodeDisk, options: readerOptions, onProgress: progress.show };
  const report = await exportGood(tools, from, folder).finally(progress.clear);
  await sayAll(exportLines(from, folder, report));
}
