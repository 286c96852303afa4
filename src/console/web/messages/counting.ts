/**
 * When messages are counted: after their rows have loaded, as a count may read 200,000 rows of the
 * log, and the server runs one such query at a time. The longer a count took, the longer the pause
 * until the next.
 */
import { now } from '../time/clock.ts';

/** A count need not be more recent than this. */
const againMs = 5000;
/** If the server is slow, counting takes at most a twentieth of the time. */
const pauses = 20;

/** What `pause` depends on. */
export interface Timed {
  /** How long the server took to answer, in ms. */
  readonly tookMs: number;
}

/** The count, and how long it took. */
export async function timed<Counted extends object>(
  counting: Promise<Counted>,
): Promise<Counted & Timed> {
  const began = now();
  const counted = await counting;
  return { ...counted, tookMs: now() - began };
}

/** For `refetchInterval`: how long until the next count. */
export function pause({
  state,
}: {
  readonly state: { readonly data?: Timed | undefined };
}): number {
  return Math.max(againMs, (state.data?.tookMs ?? 0) * pauses);
}
