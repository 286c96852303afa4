/** `stepwell journal print` and `journal verify`: looking at a data folder without touching it. */
import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../engine/clock.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { type DataDirOption, dataDirOption } from './folder-option.js';
import { type PrintOptions, printedLines } from './journal/journal-print.js';
import { readJournal } from './journal/journal-reader.js';
import { verifyFolder } from './journal/journal-verify.js';
import { configuredFolder } from './owned-folder.js';
import { complain, progressLine, sayAll } from './terminal.js';

export function journalCommand(): Command {
  const journal = new Command('journal').description('look at the data folder; changes nothing');
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
