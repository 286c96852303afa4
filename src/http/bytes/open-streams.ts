/** How many clients follow what: streams of events that are open. */
import type { Registry } from 'prom-client';
import { partGauge } from '../../engine/metrics/gauge.js';

/** What is followed by a stream. */
export type StreamKind = 'live' | 'journal' | 'run' | 'topic';

const openStreams = {
  name: 'stepwell_open_streams',
  help: 'Streams of events that are open, by what they follow.',
  label: 'kind',
};

/** `read` tells how many of a kind are open, at every scrape. Once for each kind. */
export function watchStreams(registry: Registry, kind: StreamKind, read: () => number): void {
  partGauge(registry, openStreams, kind, read);
}
