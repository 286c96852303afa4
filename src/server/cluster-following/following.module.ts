/** Wiring of what a cluster node does to its own folder while it follows (ADR 61). */
import { Inject, Module } from '@nestjs/common';
import type { Disk } from '../../../storage/disk/disk.js';
import { Store } from '../../../storage/store.js';
import { JournalSweeper } from '../../engine/history/journal-sweeper.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { once } from '../../grammar/once.js';
import { TopicsModule } from '../../topics/topics/topics.module.js';
import type { Cluster } from '../cluster/cluster.js';
import { KeptArchive } from '../cluster/kept/kept-archive.js';
import type { Config } from '../configuration/config.js';
import { UnfinishedCopy } from '../copies/unfinished-copy.js';
import { JournalSweepRunner } from '../history/journal-sweep-runner.js';
import { JournalSweepsModule } from '../history/journal-sweeps.module.js';
import { FollowerCompactions } from './follower-compactions.js';

/** Does nothing on a server without a cluster, or on a read-only one. */
@Module({ imports: [JournalSweepsModule, TopicsModule], providers: [FollowerCompactions] })
export class FollowingModule {
  constructor(
    store: Store,
    sweeper: JournalSweeper,
    sweeps: JournalSweeps,
    runner: JournalSweepRunner,
    compactions: FollowerCompactions,
    life: ProcessLife,
    @Inject(provided.config) { dataDirectory, archiveDirectory, journalRetention }: Config,
    @Inject(provided.disk) disk: Disk,
    @Inject(provided.cluster) cluster: Cluster | null,
  ) {
    if (cluster === null || life.changesNothing !== null) return;
    // The shared log still reaches back to this folder, so no other folder must be fetched.
    const dropUnfinished = once(() => new UnfinishedCopy(disk, dataDirectory).drop());
    life.addRecoverable({ name: 'unfinished copies', changes: true, recover: dropUnfinished });
    cluster.duties = {
      begin: async (node) => {
        if (archiveDirectory === null) return;
        const swept = { folder: archiveDirectory, node, swept: sweeps.edge };
        sweeper.archive = await KeptArchive.open(store, swept);
      },
      sweepBegun: (range) => {
        if (journalRetention !== 'forever') runner.follow(range);
      },
      inStep: async () => {
        await dropUnfinished();
        await compactions.lookIfDue();
      },
    };
  }
}
