/** Passes events on in windows, for readers that save reads by knowing what comes next. */
import type { EventEnvelope } from '../decider.js';

/** How many events are collected before the first of them is passed on; fewer if they are large. */
const windowMax = 64;
const windowBytesMax = 1024 * 1024;

/** Yields the same events; calls `meet` with each window before the window's first event. */
export async function* inWindows(
  events: AsyncIterable<EventEnvelope>,
  wanted: () => number,
  meet: (window: readonly EventEnvelope[]) => void,
): AsyncGenerator<EventEnvelope> {
  let window: EventEnvelope[] = [];
  let bytes = 0;
  for await (const envelope of events) {
    window.push(envelope);
    bytes += envelope.body?.length ?? 0;
    if (window.length < Math.min(windowMax, wanted()) && bytes < windowBytesMax) continue;
    meet(window);
    yield* window;
    [window, bytes] = [[], 0];
  }
  meet(window);
  yield* window;
}
