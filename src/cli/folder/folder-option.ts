/** The option that every command takes which looks at a data folder. */
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { GivenSettings } from '../../server/configuration/config.js';

/** What the option gives; without it the setting `STEPWELL_DATA_DIR` counts. */
export interface DataDirOption {
  readonly dataDir?: string;
}

/** Made for each command: commander's options belong to one. */
export function dataDirOption(): Option {
  return new Option('--data-dir <path>', 'the data folder, instead of STEPWELL_DATA_DIR');
}

/** A folder that a command reads or makes. */
export function folderArgument(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser((text: string) => {
    // As of a variable of the shell that is not set: it would be the present folder.
    if (text !== '') return text;
    throw new InvalidArgumentError('It is empty.');
  });
}

/** What `readConfiguration` is to take from the command line. */
export function givenSettings({ dataDir }: DataDirOption): GivenSettings {
  return dataDir === undefined ? {} : { dataDirectory: dataDir };
}
