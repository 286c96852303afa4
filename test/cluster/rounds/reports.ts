/** Combines the reports of several parts of rounds. */
import type { RoundsReport } from './rounds.js';

/** All broken promises of a report; empty = the product kept its promises. */
export function brokenOf(report: RoundsReport): (string | number)[] {
  const { missing, misplaced, undelivered, violations, strays } = report;
  return [missing, misplaced, undelivered, violations, strays].flat();
}

/** Prints the figures of all parts together. */
export function printReports(reports: readonly RoundsReport[]): void {
  const sum = (figure: (report: RoundsReport) => number) =>
    reports.reduce((total, report) => total + figure(report), 0);
  const all = <T>(list: (report: RoundsReport) => readonly T[]) => reports.flatMap(list);
  const figures = {
    rounds: sum(({ rounds }) => rounds),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    arrivals: sum(({ arrivals }) => arrivals),
    missing: all(({ missing }) => missing),
    misplaced: all(({ misplaced }) => misplaced),
    undelivered: all(({ undelivered }) => undelivered),
    violations: all(({ violations }) => violations),
    strays: all(({ strays }) => strays),
    refused: merged(
      reports,
      ({ refused }) => refused,
      (one, other) => one + other,
      0,
    ),
    epochs: sum(({ epochs }) => epochs),
    sinkStoodStillMs: Math.max(...reports.map(({ sinkStoodStillMs }) => sinkStoodStillMs)),
  };
  console.log(JSON.stringify(figures, null, 1));
  printTimes('another node serves', reports, ({ servesMs }) => servesMs);
  printTimes('a publish is acknowledged', reports, ({ takeoverMs }) => takeoverMs);
}

type Times = Readonly<Record<string, readonly number[]>>;

function printTimes(
  what: string,
  reports: readonly RoundsReport[],
  timesOf: (report: RoundsReport) => Times,
): void {
  const byFault = merged<readonly number[]>(
    reports,
    timesOf,
    (one, other) => one.concat(other),
    [],
  );
  console.log(`from the fault until ${what}`);
  for (const [fault, times] of Object.entries(byFault)) console.log(`  ${fault}`, summary(times));
  const unplanned = Object.entries(byFault).filter(([fault]) => fault !== 'end');
  console.log('  all that were not planned', summary(unplanned.flatMap(([, times]) => times)));
}

/** Merges the values of all reports by name, starting with `none`. */
function merged<T>(
  reports: readonly RoundsReport[],
  of: (report: RoundsReport) => Readonly<Record<string, T>>,
  add: (one: T, other: T) => T,
  none: T,
): Record<string, T> {
  const together: Record<string, T> = {};
  for (const [name, value] of reports.flatMap((report) => Object.entries(of(report)))) {
    together[name] = add(together[name] ?? none, value);
  }
  return together;
}

function summary(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return `${sorted.length}: median ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${sorted.at(-1)} ms`;
}
