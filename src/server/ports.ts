/** What a process is given from outside; a simulated one gets other ones. */
import type { Logger } from 'pino';
import type { Disk } from '../../storage/disk/disk.js';
import type { StoreOptions } from '../../storage/store.js';
import type { CommitLog } from '../cluster/commit-log.js';
import type { Clock } from '../engine/clock.js';
import type { PastView } from '../engine/history/past-moment.js';
import type { Identifiers } from '../engine/identifiers.js';
import type { StreamSizes } from '../engine/resting/stream-sizes.js';
import type { OutboundPorts } from '../messaging/outbound/outbound.module.js';
import type { ShownSetting } from './configuration/shown-settings.js';

/** Everything that is not decided by commands and configuration. */
export interface Ports extends OutboundPorts {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly disk: Disk;
  /** Sizes for a disk that is small, in bytes; without it those of a real one. */
  readonly fileSizes?: Pick<StoreOptions, 'segmentBytes' | 'reserveBytes' | 'freeBytesMin'>;
  /** Instead of the shipped ones. */
  readonly streamSizes?: Partial<StreamSizes>;
  /** Where the built console lies; without it the server has none. */
  readonly consoleFolder?: string;
  /** What distinguishes this build of the program from others; without it its version. */
  readonly build?: string;
  /** Its settings and where they came from, as they may be shown; without it none are. */
  readonly settings?: readonly ShownSetting[];
  /** Files that the process may open; without it any number. */
  readonly descriptorLimit?: number;
  /** What is shown instead of what is now; without it now. */
  readonly past?: PastView;
  /** The log that nodes share; without it the one that the settings name. */
  readonly commitLog?: CommitLog;
  readonly log: Logger;
  /** Ends the process with the exit code of `error`: the disk failed or an invariant broke. */
  readonly fatal: (error: unknown) => void;
}
