/** `stepwell backup` and `stepwell restore`. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { skippedOffsetsDefault } from '../server/backup/skipped-offsets.js';
import type { RestoreOptions } from './folder/backup-restore.js';
import { type DataDirOption, dataDirOption, folderArgument } from './folder/folder-option.js';
import { examplesText } from './output/examples.js';

/**
 * Reads the data folder directly and contacts no server, so it must run on the machine with the
 * folder.
 */
export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the data folder as it is at one moment, also while a server uses it')
    .addArgument(folderArgument('folder', 'where the backup goes; it must be empty, or not there'))
    .addHelpText(
      'after',
      examplesText([
        'stepwell backup /backups/monday',
        'stepwell backup /backups/monday --data-dir /var/lib/stepwell',
      ]),
    )
    .addOption(dataDirOption())
    .action(async (folder: string, options: DataDirOption) =>
      (await import('./engine.part.js')).actions.backup(folder, options),
    );
}

/** Never restores in place: the target folder must be new or empty (ADR 38). */
export function restoreCommand(): Command {
  return restoring('restore')
    .description('make a data folder from a backup')
    .addArgument(folderArgument('backup', 'a folder that `stepwell backup` has made'))
    .addArgument(folderArgument('folder', 'the new data folder; it must be empty, or not there'))
    .addHelpText('after', examplesText(['stepwell restore /backups/monday ./data']));
}

/** `journal import`: an export is restored in the same way as a backup. */
export function importCommand(): Command {
  return restoring('import')
    .description('make a data folder from what `journal export` has made')
    .addArgument(
      folderArgument('exported', 'a folder that `stepwell journal export --good` has made'),
    )
    .addArgument(folderArgument('folder', 'the new data folder; it must be empty, or not there'))
    .addHelpText('after', examplesText(['stepwell journal import /tmp/good ./data']));
}

/** A command that restores; the caller names its two arguments. */
function restoring(name: string): Command {
  return new Command(name)
    .addOption(
      new Option(
        '--skip-offsets <count>',
        'offsets of each partition that are not given out again, as clients may know them ' +
          `(default: ${skippedOffsetsDefault}; none of the folder of a node of a cluster)`,
      ).argParser(countOf),
    )
    .option(
      '--new-shared-log',
      'of the folder of a node of a cluster: begin another shared log with it, which is empty, ' +
        'or go on without one',
    )
    .action(async (backup: string, folder: string, options: RestoreOptions) =>
      (await import('./engine.part.js')).actions.restoreFolder(backup, folder, options),
    );
}

function countOf(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text)) return count;
  throw new InvalidArgumentError('A count is a whole number of at most nine digits.');
}
