/** The option that every command takes which looks at a data folder. */
import { Option } from 'commander';
import type { GivenSettings } from '../../server/configuration/config.js';

export interface DataDirOption {
  readonly dataDir?: string;
}

export function dataDirOption(): Option {
  return new Option('--data-dir <path>', 'the data folder, instead of STEPWELL_DATA_DIR');
}

/** What `readConfiguration` is to take from the command line. */
export function givenSettings({ dataDir }: DataDirOption): GivenSettings {
  return dataDir === undefined ? {} : { dataDirectory: dataDir };
}
