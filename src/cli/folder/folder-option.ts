/** The option of every command that reads a data folder. */
import { Argument, InvalidArgumentError, Option } from 'commander';

/** The value of the option; without it, the setting `STEPWELL_DATA_DIR` is used. */
export interface DataDirOption {
  readonly dataDir?: string;
}

/** Created for each command, as a commander option belongs to one command. */
export function dataDirOption(): Option {
  return new Option('--data-dir <path>', 'the data folder, instead of STEPWELL_DATA_DIR');
}

/** An argument for a folder that a command reads or creates. */
export function folderArgument(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser((text: string) => {
    // An empty text, as from an unset shell variable, would mean the current folder.
    if (text !== '') return text;
    throw new InvalidArgumentError('It is empty.');
  });
}
