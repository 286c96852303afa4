/** What a process is given from outside; a simulated one gets other ones. */
import type { Logger } from 'pino';
import type { Disk } from '../storage/disk.js';
import type { Clock } from './engine/clock.js';
import type { Identifiers } from './engine/identifiers.js';

/** Everything that is not decided by commands and configuration. */
export interface Ports {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly disk: Disk;
  readonly log: Logger;
  /** Ends the process with the exit code of `error`: the disk failed or an invariant broke. */
  readonly fatal: (error: unknown) => void;
}

/** Injection tokens of what has no class: `@Inject(provided.config) config: Config`. */
export const provided = {
  config: Symbol('Config'),
  credentials: Symbol('Credentials'),
  clock: Symbol('Clock'),
  identifiers: Symbol('Identifiers'),
  disk: Symbol('Disk'),
  log: Symbol('Log'),
  fatal: Symbol('fatal'),
} as const;
