/** What a cluster node is created with: its settings, and what it needs from the process. */
import type { Logger } from 'pino';
import type { CommitLog } from '../../cluster/commit-log.js';
import type { CallingNode } from '../../cluster/forwarding/node-call.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';

/** The options of one node. */
export interface ClusterOptions {
  /** The URL at which other nodes reach this one; it identifies the node. */
  readonly url: string;
  readonly log: CommitLog;
  /** The secret with which nodes sign what they send to each other. */
  readonly secret: string;
  /** How long the shared log keeps entries that a silent node may have missed, in ms. */
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** Stops the server in order, as for a planned stop; that also gives up the shared log. */
  readonly leave: () => Promise<void>;
  /**
   * Called if the shared log no longer reaches back to this folder: fetches the folder of another
   * node, which the next start puts in place. Resolves to false if the server stops before that.
   */
  readonly fetchFolder: (log: CommitLog, caller: CallingNode) => Promise<boolean>;
  /** Ends the process with the exit code of the error. */
  readonly fatal: (error: unknown) => void;
  readonly logger: Logger;
}
