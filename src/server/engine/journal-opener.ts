/** Opens the journal in the store; in the past it is read, and its time is not followed. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { EventCodec } from '../../engine/event-codec.js';
import type { PastView } from '../../engine/history/past-moment.js';
import { Journal, openJournalLog } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { followJournal } from '../development/journal-time.js';
import type { StoreSettings } from './store-opener.js';

@Injectable()
export class JournalOpener {
  constructor(
    private readonly store: Store,
    private readonly codec: EventCodec,
    @Inject(provided.config) private readonly config: StoreSettings,
    @Inject(provided.disk) private readonly disk: Disk,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.past) private readonly past: PastView | null,
    private readonly life: ProcessLife,
  ) {}

  async open(): Promise<Journal> {
    const { disk, clock, log, past } = this;
    const journal = await openJournalLog(this.store);
    if (past === null) {
      const readOnly = this.life.changesNothing !== null;
      const path = this.config.dataDirectory;
      await followJournal({ journal, path, disk, readOnly }, clock, log);
    }
    return new Journal(journal, this.codec, past ?? undefined);
  }
}
