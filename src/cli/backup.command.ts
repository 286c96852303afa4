/** `stepwell backup` and `stepwell restore`. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CopyProgress } from '../../storage/backup/backup-folder.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { systemClock } from '../engine/clock.js';
import type { BackupManifest } from '../server/backup/backup-manifest.js';
import { backUp } from '../server/backup/folder-backup.js';
import { restore, skippedOffsetsDefault } from '../server/backup/restore.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { type DataDirOption, dataDirOption } from './folder-option.js';
import { readerOptions } from './journal/journal-reader.js';
import { examplesText } from './output/examples.js';
import { complain, progressLine, sayAll } from './output/terminal.js';
import { sizeWords } from './output/time-words.js';
import { configuredFolder } from './owned-folder.js';

const megabyte = 1024 * 1024;

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the data folder as it is at one moment, also while a server uses it')
    .argument('<folder>', 'where the backup goes; it must be empty, or not there')
    .addHelpText(
      'after',
      examplesText([
        'stepwell backup /backups/monday',
        'stepwell backup /backups/monday --data-dir /var/lib/stepwell',
      ]),
    )
    .addOption(dataDirOption())
    .action(backup);
}

export function restoreCommand(): Command {
  return restoring('restore')
    .description('make a data folder from a backup')
    .argument('<backup>', 'a folder that `stepwell backup` has made')
    .argument('<folder>', 'the new data folder; it must be empty, or not there')
    .addHelpText('after', examplesText(['stepwell restore /backups/monday ./data']));
}

/** `journal import`: what was exported is restored as a backup is. */
export function importCommand(): Command {
  return restoring('import')
    .description('make a data folder from what `journal export` has made')
    .argument('<exported>', 'a folder that `stepwell journal export --good` has made')
    .argument('<folder>', 'the new data folder; it must be empty, or not there')
    .addHelpText('after', examplesText(['stepwell journal import /tmp/good ./data']));
}

/** A command that restores; its two arguments are named by what it is called. */
function restoring(name: string): Command {
  return new Command(name)
    .addOption(
      new Option(
        '--skip-offsets <count>',
        'offsets of each partition that are not given out again, as clients may know them',
      )
        .default(skippedOffsetsDefault)
        .argParser(countOf),
    )
    .action(restoreFolder);
}

async function backup(folder: string, options: DataDirOption): Promise<void> {
  const from = await configuredFolder(options);
  const manifest = await withProgress((onProgress) => backUp(tools(onProgress), from, folder));
  await sayAll([`backed up ${from} to ${folder}`, ...linesOf(manifest)]);
  tellDamage(manifest);
}

async function restoreFolder(
  backup: string,
  folder: string,
  { skipOffsets }: { readonly skipOffsets: number },
): Promise<void> {
  const { manifest, hasCredentials } = await withProgress((onProgress) =>
    restore(tools(onProgress), backup, folder, skipOffsets),
  );
  await sayAll([
    `restored ${folder} from ${backup}`,
    ...linesOf(manifest),
    hasCredentials
      ? 'credentials and signing keys: as they were'
      : 'credentials and signing keys: none were kept; give those that were configured',
    `partitions go on ${skipOffsets} offsets behind their ends`,
    'messages and runs that were open then go on at the next start: a server on the old folder ' +
      'must not run any more',
  ]);
  tellDamage(manifest);
}

function linesOf({ madeAt, version, storeId, epoch, bytes, sharedBytes, logs }: BackupManifest) {
  const journal = logs.find(({ name }) => name === '__journal')?.until ?? 0;
  const count = logs.filter(({ name }) => name !== '__journal').length;
  const others = `${count} other ${count === 1 ? 'log' : 'logs'}`;
  return [
    `made at ${madeAt} by version ${version}, of store ${storeId}, start ${epoch}`,
    `journal up to offset ${journal}, and ${others}: ${sizeWords(bytes)}`,
    ...(sharedBytes > 0
      ? [`${sizeWords(sharedBytes)} of it share the disk with the data folder`]
      : []),
  ];
}

/** The copy is there, and not all of what was acknowledged is in it. */
function tellDamage({ damages, lost }: BackupManifest): void {
  for (const damage of damages) complain(damage);
  for (const { log, from, until } of lost) {
    complain(`${log}: not there are offsets ${from} to ${until === null ? 'its end' : until - 1}`);
  }
  if (damages.length > 0) process.exitCode = exitCodes.damagedData;
}

function tools(onProgress: (progress: CopyProgress) => void) {
  return { disk: nodeDisk, options: readerOptions, onProgress };
}

async function withProgress<T>(
  work: (onProgress: (progress: CopyProgress) => void) => Promise<T>,
): Promise<T> {
  const line = progressLine(systemClock);
  const show = ({ doing, bytes, bytesTotal }: CopyProgress) => {
    const [done, total] = [bytes, bytesTotal].map((count) => Math.ceil(count / megabyte));
    line.show(doing === 'copying' ? 'copying' : `verified ${done} of ${total} MiB`);
  };
  return work(show).finally(line.clear);
}

function countOf(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text)) return count;
  throw new InvalidArgumentError('A count is a whole number of at most nine digits.');
}
