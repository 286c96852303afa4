/** The metrics of topics. */
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { gauge } from '../../engine/metrics/gauge.js';
import { RetentionKeeper } from './retention-keeper.js';
import { Topics } from './topic.entity.js';
import { TopicLogs } from './topic-logs.js';

/** Reads the values from memory at each scrape. */
@Injectable()
export class TopicMetrics {
  constructor(registry: Registry, { count }: Topics, logs: TopicLogs, keeper: RetentionKeeper) {
    gauge(registry, 'stepwell_topic_partitions', 'Partitions of all topics.', () => count.sum);
    const bytes = 'Bytes that the records of topics take.';
    gauge(registry, 'stepwell_topic_bytes', bytes, () => logs.byteLength);
    const damaged = 'Ranges of offsets of topics that are damaged and cannot be read.';
    gauge(registry, 'stepwell_topic_damaged_ranges', damaged, () => logs.damagedRanges);
    const paused = '1 while no record is too old, because the clock has jumped ahead.';
    gauge(registry, 'stepwell_retention_paused', paused, () => Number(keeper.isPaused));
  }
}
