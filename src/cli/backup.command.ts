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
    .description('copy the data folder at one moment, also while a server uses it')
    .addArgument(
      folderArgument('folder', 'the target of the backup; it must be empty or not exist'),
    )
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
    .addArgument(folderArgument('backup', 'a folder made by `stepwell backup`'))
    .addArgument(folderArgument('folder', 'the new data folder; it must be empty or not exist'))
    .addHelpText('after', examplesText(['stepwell restore /backups/monday ./data']));
}

/** `journal import`: an export is restored in the same way as a backup. */
export function importCommand(): Command {
  return restoring('import')
    .description('make a data folder from an export')
    .addArgument(folderArgument('exported', 'a folder made by `stepwell journal export --good`'))
    .addArgument(folderArgument('folder', 'the new data folder; it must be empty or not exist'))
    .addHelpText('after', examplesText(['stepwell journal import /tmp/good ./data']));
}

/** A command that restores; the caller names its two arguments. */
function restoring(name: string): Command {
  return new Command(name)
    .addOption(
      new Option(
        '--skip-offsets <count>',
        'how many offsets of each partition to skip, because clients may have seen them ' +
          `(default: ${skippedOffsetsDefault}; 0 for the folder of a node of a cluster)`,
      ).argParser(countOf),
    )
    .option(
      '--new-shared-log',
      'for the folder of a node of a cluster: make it independent of its shared log, to begin ' +
        'a new one, or to continue without one',
    )
    .action(async (backup: string, folder: string, options: RestoreOptions) =>
      (await import('./engine.part.js')).actions.restoreFolder(backup, folder, options),
    );
}

function countOf(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text)) return count;
  throw new InvalidArgumentError('A count must be a whole number of at most nine digits.');
}
