/** The metrics of the lag of groups. */
import { Inject, Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type Figure, greatestGauge } from '../../engine/metrics/greatest-gauge.js';
import { provided } from '../../engine/provided.js';
import { CommittedOffsets, type StoredOffset } from '../offsets/committed-offsets.js';
import type { TopicSettings } from '../settings.js';
import { TopicLogs } from '../topics/topic-logs.js';

/** The most partitions of all groups that one scrape examines. */
const partitionsMax = 50_000;

/**
 * Computed at each scrape. `STEPWELL_METRICS_NAMES` bounds the number of named groups; all others
 * are combined into one figure.
 */
@Injectable()
export class GroupLagMetrics {
  constructor(
    registry: Registry,
    private readonly offsets: CommittedOffsets,
    private readonly logs: TopicLogs,
    @Inject(provided.config) settings: TopicSettings,
  ) {
    const farthest = {
      name: 'stepwell_farthest_group_lag_records',
      help: 'Uncommitted records of the consumer groups with the largest lag, and of all others.',
      label: 'group',
      namedMax: settings.metricsNamesMax,
    };
    greatestGauge(registry, farthest, () => this.lags());
  }

  /** The lag of each group; the partitions of a group are adjacent in the iteration. */
  private *lags(): Generator<Figure> {
    let current: string | null = null;
    let lag = 0;
    let looks = 0;
    for (const { group, topic, partition, stored } of this.offsets.all()) {
      looks += 1;
      if (looks > partitionsMax) break;
      if (current !== null && group !== current) {
        yield [current, lag];
        lag = 0;
      }
      current = group;
      lag += this.behind(topic, partition, stored);
    }
    if (current !== null) yield [current, lag];
  }

  /** The lag in one partition; 0 if the group's position is unknown. */
  private behind(topic: string, partition: number, { committed, start }: StoredOffset): number {
    const log = this.logs.present(topic)[partition];
    const done = committed ?? start;
    return log === undefined || done === null ? 0 : Math.max(0, log.highWatermark - done);
  }
}
