/** `stepwell journal`: looking at a data folder, and exporting from it, without touching it. */
import { Command, InvalidArgumentError } from 'commander';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { systemClock } from '../engine/clock.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { exportGood } from '../server/repair/export-good.js';
import { importCommand } from './backup.command.js';
import { type DataDirOption, dataDirOption } from './folder-option.js';
import { exportLines } from './journal/export-lines.js';
import { type PrintOptions, printedLines } from './journal/journal-print.js';
import { readerOptions, readJournal } from './journal/journal-reader.js';
import { verifyFolder } from './journal/journal-verify.js';
import { configuredFolder } from './owned-folder.js';
import { complain, progressLine, sayAll } from './terminal.js';

export function journalCommand(): Command {
  const journal = new Command('journal').description(
    'look at the data folder, which it never changes',
  );
  journal.addCommand(
    new Command('print')
      .description('print the journal, one line per event')
      .option('--stream <id>', 'only this stream: message/msg_1, or msg_1')
      .option('--from <offset>', 'from this offset on', offsetOption)
      .option('--until <offset>', 'up to this offset, exclusive', offsetOption)
      .option('--json', 'one JSON object per line')
      .option('--reveal', 'show what is redacted, and secrets of the server, in clear')
      .addOption(dataDirOption())
      .action(print),
  );
  journal.addCommand(
    new Command('verify')
      .description('check every checksum, chain and index of the data folder')
      .addOption(dataDirOption())
      .action(verify),
  );
  journal.addCommand(
    new Command('export')
      .description('make a folder of everything that is intact: what to do at exit code 65')
      .argument('<folder>', 'where it goes; it must be empty, or not there')
      .requiredOption('--good', 'leave out what is damaged, and say what that is')
      .addOption(dataDirOption())
      .action(exportFolder),
  );
  journal.addCommand(importCommand());
  return journal;
}

function offsetOption(text: string): number {
  const offset = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset;
  throw new InvalidArgumentError('An offset is a whole number.');
}

async function print(options: PrintOptions & DataDirOption): Promise<void> {
  await readJournal(await configuredFolder(options), async (journal) => {
    if (journal !== null) await sayAll(printedLines(journal, options));
  });
}

async function verify(options: DataDirOption): Promise<void> {
  const progress = progressLine(systemClock);
  const { lines, problems } = await verifyFolder(
    await configuredFolder(options),
    progress.show,
  ).finally(progress.clear);
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
