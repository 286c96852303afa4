/** `stepwell journal`: inspects a data folder and exports from it, without modifying it. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type JournalMoment, readMoment } from '../server/journal/journal-moment.js';
import { isEventType } from '../server/journal/known-events.js';
import { importCommand } from './backup.command.js';
import { type DataDirOption, dataDirOption, folderArgument } from './folder/folder-option.js';
import { type KeptHead, readKeptHead } from './journal/kept-head.js';
import type { PrintJournalOptions, ReplayCommandOptions, VerifyOptions } from './journal.js';
import { examplesText } from './output/examples.js';

/** A server may use the folder meanwhile; what it appends later is not seen. */
export function journalCommand(): Command {
  const journal = new Command('journal').description(
    'read the data folder; these commands never change it',
  );
  journal.addCommand(printCommand());
  journal.addCommand(verifyCommand());
  journal.addCommand(
    new Command('export')
      .description('make a folder of everything that is intact, after exit code 65')
      .addHelpText('after', examplesText(['stepwell journal export --good /tmp/good']))
      .addArgument(folderArgument('folder', 'the target; it must be empty or not exist'))
      .requiredOption('--good', 'leave out damaged parts, and list them')
      .addOption(dataDirOption())
      .action(async (folder: string, options: DataDirOption) =>
        (await import('./engine.part.js')).actions.exportFolder(folder, options),
      ),
  );
  journal.addCommand(importCommand());
  journal.addCommand(replayCommand());
  journal.addCommand(
    new Command('digest')
      .description('print the digest of the sealed part of the journal, to keep elsewhere')
      .addHelpText('after', examplesText(['stepwell journal digest']))
      .addOption(dataDirOption())
      .action(async (options: DataDirOption) =>
        (await import('./engine.part.js')).actions.printDigest(options),
      ),
  );
  return journal;
}

function printCommand(): Command {
  return new Command('print')
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
    .option('--reveal', 'show redacted parts and secrets of the server in clear text')
    .addOption(archiveOption())
    .addOption(dataDirOption())
    .action(async (options: PrintJournalOptions) =>
      (await import('./engine.part.js')).actions.printJournal(options),
    );
}

function verifyCommand(): Command {
  return new Command('verify')
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
      'a digest of the journal that you kept elsewhere; may be repeated',
      againstOption,
    )
    .addOption(dataDirOption())
    .action(async (options: VerifyOptions) =>
      (await import('./engine.part.js')).actions.verifyJournal(options),
    );
}

function replayCommand(): Command {
  return new Command('replay')
    .description('replay the journal and print the resulting state, or the selected events')
    .addHelpText(
      'after',
      examplesText([
        'stepwell journal replay --until 2026-11-20T12:00:00Z',
        'stepwell journal replay --stream run/order-7',
      ]),
    )
    .option('--until <moment>', 'up to this offset, exclusive, or time, inclusive', momentOption)
    .option('--since <moment>', 'events since this offset or time', momentOption)
    .option('--stream <id>', 'the history of this stream in words, with its messages')
    .option('--type <types>', 'events of these types, comma separated', typeOption)
    .option('--by <principal>', 'events caused by a credential, or by server, unknown, run/wfr_1')
    .addOption(aloneOption('--offsets', 'print the committed offsets of groups'))
    .addOption(aloneOption('--records <topic>', 'print the records of a topic'))
    .option('--json', 'JSON')
    .addOption(new Option('--csv', 'CSV').conflicts('json'))
    .option('--reveal', 'show redacted parts and secrets of the server in clear text')
    .addOption(archiveOption())
    .addOption(dataDirOption())
    .action(async (options: ReplayCommandOptions) =>
      (await import('./engine.part.js')).actions.replayJournal(options),
    );
}

/**
 * An option about topics: it excludes the others, as topics are printed in one form only, with
 * everything they hold now.
 */
function aloneOption(flags: string, description: string): Option {
  const others = ['offsets', 'records', 'until', 'since', 'stream', 'type', 'by', 'csv'];
  const option = new Option(flags, description);
  return option.conflicts(others.filter((name) => name !== option.attributeName()));
}

/** See `archivedSegments`. */
function archiveOption(): Option {
  const what = 'also read swept events, from this archive (STEPWELL_ARCHIVE_DIR)';
  return new Option('--archive <folder>', what);
}

function offsetOption(text: string): number {
  const offset = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset;
  throw new InvalidArgumentError('An offset must be a whole number.');
}

function againstOption(text: string, before: readonly KeptHead[] = []): readonly KeptHead[] {
  const kept = readKeptHead(text);
  if (kept !== null) return [...before, kept];
  throw new InvalidArgumentError('A digest has 64 hex digits, optionally followed by @<offset>.');
}

function momentOption(text: string): JournalMoment {
  const moment = readMoment(text);
  if (moment.ok) return moment.value;
  throw new InvalidArgumentError(`It ${moment.message}.`);
}

function typeOption(text: string, before: readonly string[] = []): readonly string[] {
  const types = text.split(',');
  if (!types.every((type) => /^[A-Za-z]+$/.test(type))) {
    throw new InvalidArgumentError('It is not a list of types: MessagePublished,MessageFailed.');
  }
  const unknown = types.find((type) => !isEventType(type));
  if (unknown === undefined) return [...before, ...types];
  throw new InvalidArgumentError(`There are no events of type ${unknown}.`);
}
