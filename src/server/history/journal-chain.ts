/**
 * Connects the journal of a server to its chain: what computes it, and where its heads are
 * reported.
 */
import type { Logger } from 'pino';
import type { ChainOptions } from '../../../storage/chain/log-chain.js';
import type { Disk } from '../../../storage/disk/disk.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import type { Clock } from '../../engine/clock.js';
import { journalLogName } from '../../engine/journal.js';
import { ChainThread } from './chain-thread.js';
import type { JournalHeadMetrics } from './journal-head.metrics.js';

/** The chain of a server's journal. */
export interface JournalChain {
  readonly options: ChainOptions;
  /** Ends the thread that computes it; call after the store is closed. */
  stop(): Promise<void>;
}

/** Reads in a thread of its own if the disk is a real one. */
export function journalChain(
  disk: Disk,
  clock: Clock,
  metrics: JournalHeadMetrics,
  log: Logger,
): JournalChain {
  const thread = disk === nodeDisk ? new ChainThread(clock) : null;
  const options: ChainOptions = {
    covers: (logName) => logName === journalLogName,
    ...(thread === null ? {} : { work: thread }),
    onHead: (_logName, head) => {
      metrics.sealed(head);
      log.info({ ...head }, 'the journal has a new head');
    },
    onFault: (_logName, error) => {
      log.error(
        { err: error },
        'the new head of the journal could not be recorded; it will be retried at the next seal',
      );
    },
  };
  return { options, stop: async () => thread?.stop() };
}
