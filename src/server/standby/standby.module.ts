/** Wiring of what a node of a cluster does to its own folder while it follows (ADR 61). */
import { Inject, Module } from '@nestjs/common';
import { Store } from '../../../storage/store.js';
import { JournalSweeper } from '../../engine/history/journal-sweeper.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { TopicsModule } from '../../topics/topics/topics.module.js';
import type { Cluster } from '../cluster/cluster.js';
import { KeptArchive } from '../cluster/kept-archive.js';
import type { Config } from '../configuration/config.js';
import { JournalSweepRunner } from '../history/journal-sweep-runner.js';
import { JournalSweepsModule } from '../history/journal-sweeps.module.js';
import { StandbyCompactions } from './standby-compactions.js';

@Module({ imports: [JournalSweepsModule, TopicsModule], providers: [StandbyCompactions] })
export class StandbyModule {
  constructor(
    store: Store,
    sweeper: JournalSweeper,
    sweeps: JournalSweeps,
    runner: JournalSweepRunner,
    compactions: StandbyCompactions,
    life: ProcessLife,
    @Inject(provided.config) { archiveDirectory, journalRetention }: Config,
    @Inject(provided.cluster) cluster: Cluster | null,
  ) {
    if (cluster === null || life.changesNothing !== null) return;
    cluster.duties = {
      begin: async (node) => {
        if (archiveDirectory === null) return;
        const swept = { folder: archiveDirectory, node, swept: sweeps.edge };
        sweeper.archive = await KeptArchive.open(store, swept);
      },
      sweepBegun: (range) => {
        if (journalRetention !== 'forever') runner.follow(range);
      },
      inStep: () => compactions.lookIfDue(),
    };
  }
}
