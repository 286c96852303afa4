/**
 * Builds the engine over the journal, and registers when it recovers, starts its effects and stops.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Store } from '../../../storage/store.js';
import { JournalClock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { EventCodec } from '../../engine/event-codec.js';
import type { PastView } from '../../engine/history/past-moment.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Journal, type TurnLog } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { resumeEffects } from '../../engine/lifecycle/recovery.js';
import { EngineMetrics } from '../../engine/metrics/engine.metrics.js';
import { provided } from '../../engine/provided.js';
import type { StreamSizes } from '../../engine/resting/stream-sizes.js';
import type { EngineWatch } from '../../engine/turn.js';
import type { Cluster } from '../cluster/cluster.js';
import { MemoryStart } from '../snapshots/memory-start.js';
import { storageDeadlineMs } from './store-opener.js';

/**
 * Called once, when Nest creates the engine. Everything that features register must be registered
 * before the journal is recovered, which happens after all modules are created.
 */
@Injectable()
export class EngineBuilder {
  constructor(
    private readonly store: Store,
    @Inject(provided.journalLog) private readonly turns: TurnLog,
    private readonly journal: Journal,
    private readonly start: MemoryStart,
    private readonly codec: EventCodec,
    private readonly metrics: EngineMetrics,
    private readonly life: ProcessLife,
    private readonly clock: JournalClock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
    @Inject(provided.streamSizes) private readonly sizes: StreamSizes,
    @Inject(provided.fatal) private readonly fatal: (error: unknown) => void,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.past) private readonly past: PastView | null,
    @Inject(provided.cluster) private readonly cluster: Cluster | null,
  ) {}

  /** Recovers nothing yet: the journal is read when the process recovers. */
  build(): Engine {
    const { turns, codec, clock, identifiers, sizes } = this;
    const engine = new Engine(turns, codec, clock, identifiers, this.watch(), sizes);
    if (this.life.changesNothing !== null) engine.effects.changeNothing();
    // The effects wanted at that time ran long ago.
    if (this.past !== null) engine.effects.stop();
    this.recoverAtStart(engine);
    this.settleAtStop(engine);
    return engine;
  }

  private watch(): EngineWatch {
    const { metrics, log } = this;
    return {
      turnFailed: (error, commands) => {
        metrics.turnFailed();
        const given = commands.map(({ type, kind, id }) => ({ type, kind, id }));
        log.error({ err: error, commands: given }, 'a turn failed; nothing was changed');
      },
      reactionRefused: ({ command: { type, kind, id }, refusal }) => {
        metrics.reactionRefused();
        log.warn({ type, kind, id, reason: refusal.message }, 'a reaction was refused and dropped');
      },
    };
  }

  private recoverAtStart(engine: Engine): void {
    const { cluster } = this;
    this.life.addRecoverable({
      name: 'journal',
      recover: async () => {
        await this.start.recover(engine);
        if (cluster !== null) {
          this.store.beginUpkeep();
          // A node of a cluster folds what others commit, until it owns the log itself (ADR 69).
          await cluster.follow(this.store, this.journal, engine);
        }
        engine.requireComplete();
      },
      served: () => {
        if (cluster === null) this.store.beginUpkeep();
        else cluster.serve();
        // An endpoint that an attempt calls may call back at once, and must find a server that
        // answers.
        void resumeEffects(engine).catch(this.fatal);
      },
    });
  }

  private settleAtStop(engine: Engine): void {
    this.life.addStoppable({
      name: 'effects',
      phase: 'doors',
      deadlineMs: storageDeadlineMs,
      stop: () => engine.effects.stop(),
    });
    this.life.addStoppable({
      name: 'journal',
      phase: 'commit',
      deadlineMs: storageDeadlineMs,
      stop: () => engine.durable(),
    });
  }
}
