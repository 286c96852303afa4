/** Opens the journal's log in the store; for a server of the past, the clock does not follow it. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Store } from '../../../storage/store.js';
import { JournalClock } from '../../engine/clock.js';
import type { PastView } from '../../engine/history/past-moment.js';
import { openJournalLog } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { followJournal, lastTimeOf } from '../development/journal-time.js';
import type { StoreSettings } from './store-opener.js';

/** Called once, when Nest creates the log; rejects as `openJournalLog` does. */
@Injectable()
export class JournalOpener {
  constructor(
    private readonly store: Store,
    @Inject(provided.config) private readonly config: StoreSettings,
    @Inject(provided.disk) private readonly disk: Disk,
    private readonly clock: JournalClock,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.past) private readonly past: PastView | null,
    private readonly life: ProcessLife,
  ) {}

  async open(): Promise<PartitionLog> {
    const { disk, clock, log, past } = this;
    const journal = await openJournalLog(this.store);
    if (past === null) {
      const readOnly = this.life.changesNothing !== null;
      const path = this.config.dataDirectory;
      await followJournal({ journal, path, disk, readOnly }, clock.machine, log);
      clock.follow([{ at: lastTimeOf(journal) }]);
    }
    return journal;
  }
}
