/** Metric of open event streams, by what they follow. */
import type { Registry } from 'prom-client';
import { partGauge } from '../../engine/metrics/gauge.js';

/** What a stream follows. */
export type StreamKind = 'live' | 'journal' | 'run' | 'topic';

const openStreams = {
  name: 'stepwell_open_streams',
  help: 'Open event streams, by what they follow.',
  label: 'kind',
};

/**
 * Registers `read`, which returns the number of open streams of a kind at each scrape. Call once
 * per kind.
 */
export function watchStreams(registry: Registry, kind: StreamKind, read: () => number): void {
  partGauge(registry, openStreams, kind, read);
}
