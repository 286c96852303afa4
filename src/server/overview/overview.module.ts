/** Wiring of the overview of the server. */
import { Module, type OnModuleInit } from '@nestjs/common';
import type { Disk } from '../../../storage/disk/disk.js';
import type { Clock } from '../../engine/clock.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { DeliveryModule } from '../../messaging/delivery/delivery.module.js';
import { GatesModule } from '../../messaging/gates/gates.module.js';
import { OriginsModule } from '../../messaging/origins/origins.module.js';
import { SchedulesModule } from '../../messaging/schedules/schedules.module.js';
import type { Config } from '../configuration/config.js';
import { DiskTrend } from './disk-trend.js';
import { MetricReader } from './metric-reader.js';
import { OverviewController } from './overview.controller.js';
import { Overview } from './overview.js';
import { SeriesStore } from './series-store.js';
import { StorageMetrics } from './storage.metrics.js';

/** Measuring begins when the server serves: before that, there is nothing to measure. */
@Module({
  imports: [DeliveryModule, GatesModule, OriginsModule, SchedulesModule],
  controllers: [OverviewController],
  providers: [
    StorageMetrics,
    MetricReader,
    SeriesStore,
    Overview,
    {
      provide: DiskTrend,
      inject: [provided.disk, provided.config, provided.clock],
      useFactory: (disk: Disk, { dataDirectory }: Config, clock: Clock) =>
        new DiskTrend(disk, dataDirectory, clock),
    },
  ],
})
export class OverviewModule implements OnModuleInit {
  constructor(
    private readonly store: SeriesStore,
    private readonly trend: DiskTrend,
    private readonly life: ProcessLife,
  ) {}

  onModuleInit(): void {
    const served = () => {
      this.store.start();
      void this.trend.start();
    };
    this.life.addRecoverable({ name: 'series', recover: async () => undefined, served });
    this.life.addStoppable({
      name: 'series',
      phase: 'rest',
      deadlineMs: 1000,
      stop: () => {
        this.store.stop();
        this.trend.stop();
      },
    });
  }
}
