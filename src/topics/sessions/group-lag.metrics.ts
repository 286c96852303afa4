/** What operators see of how far groups are behind. */
import { Inject, Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type Figure, greatestGauge } from '../../engine/metrics/greatest-gauge.js';
import { provided } from '../../engine/provided.js';
import { CommittedOffsets, type StoredOffset } from '../offsets/committed-offsets.js';
import type { TopicSettings } from '../settings.js';
import { TopicLogs } from '../topics/topic-logs.js';

/** Of all partitions of all groups so many are looked at: a scrape has a bound. */
const partitionsMax = 50_000;

/**
 * Read at each scrape; names are bounded by `STEPWELL_METRICS_NAMES`, and the others are one
 * figure.
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
      help: 'Records that groups have not committed: of those farthest behind, and of all others.',
      label: 'group',
      namedMax: settings.metricsNamesMax,
    };
    greatestGauge(registry, farthest, () => this.lags());
  }

  /** By group, whose partitions stand together. */
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

  /** Where nothing is known of how far a group is, it is not behind. */
  private behind(topic: string, partition: number, { committed, start }: StoredOffset): number {
    const log = this.logs.present(topic)[partition];
    const done = committed ?? start;
    return log === undefined || done === null ? 0 : Math.max(0, log.highWatermark - done);
  }
}
