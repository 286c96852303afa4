/** Up to where the journal is old enough to be swept, even if a clock was ahead for a moment. */
import type { Journal } from '../journal.js';

/** An event later than now by more than this was recorded by a clock that was ahead, ms. */
const aheadMs = 60_000;

type Timed = Pick<Journal, 'offsetFor'> & {
  readonly segments: readonly Pick<Journal['segments'][number], 'nextOffset' | 'latestTime'>[];
};

/**
 * The offset below which everything happened before `before`; times are Unix milliseconds. An event
 * from a clock that was ahead of `now` for a moment would keep all events behind it for as long as
 * that clock was ahead. Such an event counts as no younger than the segments behind it, if they end
 * before `before`.
 */
export async function sweepEdge(journal: Timed, before: number, now: number): Promise<number> {
  let edge = await journal.offsetFor(before);
  const isAhead = (await journal.offsetFor(now + aheadMs)) === edge;
  if (!isAhead) return edge;
  for (const { nextOffset, latestTime } of journal.segments) {
    if (nextOffset <= edge || latestTime > now + aheadMs) continue;
    if (latestTime >= before) break;
    edge = nextOffset;
  }
  return edge;
}
