/** What a node of a cluster is made with: its settings, and what it needs of the process. */
import type { Logger } from 'pino';
import type { CommitLog } from '../../cluster/commit-log.js';
import type { CallingNode } from '../../cluster/forwarding/node-call.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';

/** Of one node. */
export interface ClusterOptions {
  /** The address at which other nodes reach this one: it names the node. */
  readonly url: string;
  readonly log: CommitLog;
  /** What nodes sign with that they say to each other. */
  readonly secret: string;
  /** How long the shared log keeps what a node may have missed that is silent, milliseconds. */
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** Ends the server in order, as a planned stop does: the log is given up on the way. */
  readonly leave: () => Promise<void>;
  /**
   * The shared log begins behind this folder: fetches that of another node, which the next start
   * puts in its place. False = the server stops before that.
   */
  readonly fetchFolder: (log: CommitLog, caller: CallingNode) => Promise<boolean>;
  /** Ends the process with the exit code of the error. */
  readonly fatal: (error: unknown) => void;
  readonly logger: Logger;
}
