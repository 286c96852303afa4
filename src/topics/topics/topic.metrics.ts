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
    const bytes = 'Bytes of the records of all topics.';
    gauge(registry, 'stepwell_topic_bytes', bytes, () => logs.byteLength);
    const damaged = 'Damaged offset ranges of topics, which cannot be read.';
    gauge(registry, 'stepwell_topic_damaged_ranges', damaged, () => logs.damagedRanges);
    const paused = '1 while retention by time is paused because the clock jumped ahead, else 0.';
    gauge(registry, 'stepwell_retention_paused', paused, () => Number(keeper.isPaused));
  }
}
