/**
 * Judges the observations of rounds of faults: order, parallelism, rates, and what stale owners
 * accepted. Pure. A takeover permits what docs/cluster.md names: attempts in progress are repeated,
 * and the previous owner may still run what it had begun.
 */
import type { Acknowledged, Arrival, Committed, Lane, Observed, Takeover } from './observed.js';

/** The longest time from the start of an attempt at a node to its arrival, in milliseconds. */
const onTheWayMs = 1000;

/**
 * Tolerance, because two programs of one machine read its clock at different moments, in whole
 * milliseconds.
 */
const clockMs = 20;

/** The violations of the promises, one sentence each; empty if there are none. */
export function violationsOf(observed: Observed): string[] {
  const { lanes, arrivals, takeovers } = observed;
  return [
    ...lanes.flatMap((lane) => {
      const own = arrivals.filter((arrival) => arrival.lane === lane.name);
      return [
        ...(lane.isOrdered ? outOfOrder(lane, own, observed.acknowledged) : []),
        ...tooManyAtOnce(lane, own, takeovers),
        ...tooManyStarts(lane, own, takeovers),
        ...repeatedInVain(own, takeovers),
      ];
    }),
    ...takenByStaleOwners(observed.acknowledged, observed.committed),
  ];
}

/** An unacknowledged message may arrive at any time, because a node may have held it. */
function outOfOrder(
  { name }: Lane,
  arrivals: readonly Arrival[],
  acknowledged: readonly Acknowledged[],
): string[] {
  const known = new Set(acknowledged.map(({ number }) => number));
  const seen = new Set<number>();
  const found: string[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { number } of arrivals) {
    if (!known.has(number) || seen.has(number)) continue;
    seen.add(number);
    if (number < last) found.push(`${name}: ${number} came for the first time after ${last}`);
    last = Math.max(last, number);
  }
  return found;
}

function tooManyAtOnce(
  { name, parallelism }: Lane,
  arrivals: readonly Arrival[],
  takeovers: readonly Takeover[],
): string[] {
  if (parallelism === null) return [];
  const found: string[] = [];
  let open: Arrival[] = [];
  for (const arrival of arrivals) {
    open = open.filter(({ until }) => until > arrival.from);
    const others = open.filter((other) => !mayBeOfTwoOwners(other, arrival, takeovers));
    open.push(arrival);
    if (others.length < parallelism) continue;
    const numbers = others.map(({ number }) => number);
    found.push(`${name}: ${arrival.number} was under way beside ${numbers.join(', ')}`);
  }
  return found;
}

/**
 * Whether one attempt may be of the owner before a takeover, and the other of the owner after it.
 */
function mayBeOfTwoOwners(
  earlier: Arrival,
  later: Arrival,
  takeovers: readonly Takeover[],
): boolean {
  return (
    isStraggler(earlier.from, takeovers) ||
    isStraggler(later.from, takeovers) ||
    takeovers.some(
      ({ isPlanned, from, until }) => !isPlanned && earlier.from <= until && later.from >= from,
    )
  );
}

/**
 * A window that may be open now: opened between `earliest` and `latest`, with `starts` starts in
 * it.
 */
interface OpenWindow {
  readonly earliest: number;
  readonly latest: number;
  readonly starts: number;
}

/** What is known of a start; a `number` of null means a start that was never sent. */
interface Start {
  readonly number: number | null;
  /** When the start was observed. */
  readonly at: number;
  readonly earliest: number;
  readonly latest: number;
  /**
   * Whether the start may be ignored: it did not happen, or counts in a window of a previous owner.
   */
  readonly isOptional: boolean;
}

/**
 * Searches for windows, each at least a period after the previous one, none with more starts than
 * the rate allows; reports a violation if there are none.
 */
function tooManyStarts(
  { name, rate }: Lane,
  arrivals: readonly Arrival[],
  takeovers: readonly Takeover[],
): string[] {
  if (rate === null) return [];
  const none = Number.NEGATIVE_INFINITY;
  let possible: OpenWindow[] = [{ earliest: none, latest: none, starts: 0 }];
  for (const start of startsOf(arrivals, takeovers)) {
    const counted = possible.flatMap((window) => withStart(window, start, rate));
    possible = start.isOptional ? [...possible, ...counted] : counted;
    if (possible.length === 0) {
      return [`${name}: with ${start.number} more came than ${rate.starts} in ${rate.periodMs} ms`];
    }
    possible = withoutWorse(possible);
  }
  return [];
}

/**
 * A start is up to `onTheWayMs` before its arrival, which is up to `lateMs` before it was noted. A
 * start that may be a straggler may also be of the new owner, and have opened that owner's window.
 * A lost owner may have opened a window for a start that it never sent, because reservations count.
 */
function startsOf(arrivals: readonly Arrival[], takeovers: readonly Takeover[]): Start[] {
  const sent = arrivals.map(({ number, from, lateMs }): Start => {
    const earliest = from - lateMs - onTheWayMs;
    const isOptional = isStraggler(from, takeovers);
    return { number, at: from, earliest, latest: from, isOptional };
  });
  const lost = takeovers
    .filter(({ isPlanned }) => !isPlanned)
    .flatMap(({ from, until }) => {
      const start = { number: null, earliest: from - onTheWayMs, latest: until, isOptional: true };
      // A start during the takeover may be in the window before this one, or in its own.
      return [from, until].map((at): Start => ({ at, ...start }));
    });
  return [...sent, ...lost].sort((one, other) => one.at - other.at);
}

/** The possible windows if the start belongs to this window, or is the first of the next. */
function withStart(
  { earliest, latest, starts }: OpenWindow,
  start: Pick<OpenWindow, 'earliest' | 'latest'>,
  { starts: startsMax, periodMs }: NonNullable<Lane['rate']>,
): OpenWindow[] {
  const next: OpenWindow[] = [];
  const isWithin = start.earliest < latest + periodMs;
  if (starts < startsMax && isWithin) {
    const began = Math.max(earliest, start.earliest - periodMs);
    next.push({ earliest: began, latest, starts: starts + 1 });
  }
  if (start.latest >= earliest + periodMs) {
    const opened = Math.max(earliest + periodMs, start.earliest);
    next.push({ earliest: opened, latest: start.latest, starts: 1 });
  }
  return next;
}

/** Removes windows that allow nothing that another window does not allow. */
function withoutWorse(windows: readonly OpenWindow[]): OpenWindow[] {
  const isNoWorse = (one: OpenWindow, other: OpenWindow) =>
    one.earliest <= other.earliest && one.latest >= other.latest && one.starts <= other.starts;
  return windows.filter(
    (window, index) =>
      !windows.some(
        (other, at) =>
          at !== index && isNoWorse(other, window) && (at < index || !isNoWorse(window, other)),
      ),
  );
}

/**
 * Whether an attempt may have been started before its node was stopped, and sent when the node
 * continued.
 */
function isStraggler(at: number, takeovers: readonly Takeover[]): boolean {
  return takeovers.some(
    ({ wentOnAt }) => wentOnAt !== null && at >= wentOnAt && at <= wentOnAt + onTheWayMs,
  );
}

/** Reports answered messages that came again; only a takeover that lost the answer permits that. */
function repeatedInVain(arrivals: readonly Arrival[], takeovers: readonly Takeover[]): string[] {
  const found: string[] = [];
  const before = new Map<number, Arrival>();
  for (const arrival of arrivals) {
    const earlier = before.get(arrival.number);
    before.set(arrival.number, arrival);
    if (earlier === undefined || mayBeOfTwoOwners(earlier, arrival, takeovers)) continue;
    found.push(`${arrival.lane}: ${arrival.number} came again, and no takeover lies between`);
  }
  return found;
}

function takenByStaleOwners(
  acknowledged: readonly Acknowledged[],
  committed: ReadonlyMap<string, Committed>,
): string[] {
  const found: string[] = [];
  let epoch = 0;
  for (const { number, messageId, sentAt, answeredAt } of acknowledged) {
    const event = committed.get(messageId);
    if (event === undefined) found.push(`${number} was acknowledged, and the log lacks it`);
    else if (!event.counts) found.push(`${number} was acknowledged by an owner that was stale`);
    else if (event.at > answeredAt + clockMs || event.at < sentAt - clockMs) {
      found.push(`${number} was committed before it was sent, or after it was answered`);
    } else if (event.epoch < epoch) {
      found.push(`${number} is of epoch ${event.epoch}, and one before it of epoch ${epoch}`);
    }
    epoch = Math.max(epoch, event?.epoch ?? 0);
  }
  return found;
}
