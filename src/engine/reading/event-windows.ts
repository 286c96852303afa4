/** Events some at a time, for one who can save reads by knowing what comes next. */
import type { EventEnvelope } from '../decider.js';

/** So many events are looked at before the first of them is shown; fewer where they are large. */
const windowMax = 64;
const windowBytesMax = 1024 * 1024;

/** The same events; `meet` is given some at a time before the first of them is. */
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
