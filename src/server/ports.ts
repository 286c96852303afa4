/** What a process gets from outside; a simulated process gets other implementations. */
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

/** Everything that commands and configuration do not determine. */
export interface Ports extends OutboundPorts {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly disk: Disk;
  /** File sizes in bytes, for a small disk; without this field, the sizes for a real disk. */
  readonly fileSizes?: Pick<StoreOptions, 'segmentBytes' | 'reserveBytes' | 'freeBytesMin'>;
  /** Overrides the shipped values. */
  readonly streamSizes?: Partial<StreamSizes>;
  /** The folder of the built console; without it, the server has no console. */
  readonly consoleFolder?: string;
  /** Distinguishes this build of the program from others; without it, its version does. */
  readonly build?: string;
  /**
   * The settings and their sources, in the form that may be shown; without this field, none are
   * shown.
   */
  readonly settings?: readonly ShownSetting[];
  /** How many files the process may open; without this field, any number. */
  readonly descriptorLimit?: number;
  /** The moment of the past to show; without it, the server shows the present. */
  readonly past?: PastView;
  /** The log that nodes share; without it, the one that the settings name. */
  readonly commitLog?: CommitLog;
  readonly log: Logger;
  /**
   * Ends the process with the exit code of `error`, after the disk failed or an invariant broke.
   */
  readonly fatal: (error: unknown) => void;
}
