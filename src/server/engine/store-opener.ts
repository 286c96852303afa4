/**
 * Opens the store with the ports and settings of the server, and closes it when the server stops.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Disk } from '../../../storage/disk/disk.js';
import { openStore, type Store, type StoreOptions } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import type { PastView } from '../../engine/history/past-moment.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { EngineMetrics } from '../../engine/metrics/engine.metrics.js';
import { provided } from '../../engine/provided.js';
import type { DurabilitySettings } from '../../http/durability.js';
import type { Cluster } from '../cluster/cluster.js';
import { hasFollowed } from '../cluster/kept/kept-place.js';
import { ConfigurationError } from '../configuration/config.js';
import { DiskWatch, ownDisk } from '../disks/disk-watch.js';
import { journalChain } from '../history/journal-chain.js';
import { JournalHeadMetrics } from '../history/journal-head.metrics.js';

/** How long a stop waits for the disk before it continues without it. */
export const storageDeadlineMs = 30_000;

/**
 * How long a stop may take to give up the log that nodes share, so that another node takes it at
 * once.
 */
const clusterDeadlineMs = 5000;

/** Where the store is, and when an append counts as durable. */
export interface StoreSettings extends DurabilitySettings {
  readonly dataDirectory: string;
}

/**
 * Called once, when Nest creates the store. The store is closed in the phase `storage` of a stop.
 */
@Injectable()
export class StoreOpener {
  constructor(
    @Inject(provided.config) private readonly config: StoreSettings,
    @Inject(provided.disk) private readonly disk: Disk,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
    @Inject(provided.fileSizes) private readonly fileSizes: Partial<StoreOptions>,
    @Inject(provided.isolatesDamage) private readonly isolatesDamage: (logName: string) => boolean,
    @Inject(provided.fatal) private readonly fatal: (error: unknown) => void,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.past) private readonly past: PastView | null,
    @Inject(provided.cluster) private readonly cluster: Cluster | null,
    private readonly life: ProcessLife,
    private readonly metrics: EngineMetrics,
    private readonly registry: Registry,
  ) {}

  /**
   * Throws what `openStore` throws (a folder in use, damage, another version), and
   * `ConfigurationError` if the folder follows a shared log that is not configured.
   */
  async open(): Promise<Store> {
    const { disk, clock, log, isolatesDamage } = this;
    const chain = journalChain(disk, clock, new JournalHeadMetrics(this.registry), log);
    const store = await openStore(disk, this.config.dataDirectory, {
      ...this.fileSizes,
      now: clock.now.bind(clock),
      after: clock.after.bind(clock),
      randomBytes: this.identifiers.randomBytes.bind(this.identifiers),
      fsync: this.config.fsync,
      readOnly: this.life.changesNothing !== null,
      // A server of the past shows events only, so it does not open the logs of topics.
      ...(this.past !== null && { opens: (name: string) => !isolatesDamage(name) }),
      isolatesDamage,
      upkeepWaits: true,
      chain: chain.options,
      ...(this.cluster !== null && { commits: this.cluster.commits }),
      onDamage: ({ message, range }) =>
        log.warn({ range }, `${message}; all other data remains usable`),
      onCommit: this.metrics.committing,
      onSync: this.syncing(),
      onFailure: this.fatal,
    });
    this.closeAtStop(store, () => chain.stop());
    this.requireSharedLog(store);
    return store;
  }

  /** A read-only server, or one of the past, needs no shared log. */
  private requireSharedLog(store: Store): void {
    const isShown = this.life.changesNothing !== null || this.past !== null;
    if (isShown || this.cluster !== null || !hasFollowed(store)) return;
    throw new ConfigurationError([
      `${this.config.dataDirectory} is the folder of a node of a cluster, and ` +
        'STEPWELL_COMMIT_LOG is not set: alone it would do again what the cluster does, and give ' +
        'out offsets that the cluster gives out, too. Set it, or go on alone with a copy that has ' +
        'forgotten the cluster: stepwell backup, then stepwell restore --new-shared-log',
    ]);
  }

  /** Measures each sync, and warns if it does not return. */
  private syncing(): () => () => void {
    const watch = new DiskWatch(this.life, this.log, ownDisk);
    return () => {
      const measured = this.metrics.syncing();
      const ended = watch.began();
      return () => {
        measured();
        ended();
      };
    };
  }

  private closeAtStop(store: Store, stopChain: () => void): void {
    this.life.addStoppable({
      name: 'store',
      phase: 'storage',
      deadlineMs: storageDeadlineMs,
      stop: () => store.close().finally(stopChain),
    });
    const { cluster } = this;
    if (cluster === null) return;
    this.life.addStoppable({
      name: 'cluster',
      phase: 'commit',
      deadlineMs: clusterDeadlineMs,
      stop: () => cluster.stop(),
    });
  }
}
