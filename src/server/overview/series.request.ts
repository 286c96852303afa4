/** Parses and checks the query of `GET /admin/series`. Pure. */
import { parseDuration } from '../../grammar/duration.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { integer, names, readFilters, text, whenGiven } from '../../http/query-filters.js';
import { minuteMs, minutesMax } from './series-store.js';
import { type SeriesName, seriesNames } from './series-table.js';

/** Times are in Unix ms. */
export interface SeriesQuestion {
  readonly names: readonly SeriesName[];
  readonly from: number;
  readonly stepMs: number;
}

const step = whenGiven(text, (given) => {
  const duration = parseDuration(given);
  if (!duration.ok) return duration;
  const isWhole = duration.value > 0 && duration.value % minuteMs === 0;
  return isWhole && duration.value <= minutesMax * minuteMs
    ? duration
    : refused('must be whole minutes, at most a day');
});

/** By default, the day before `now` in steps of a minute. */
export function parseSeriesQuery(target: string, now: number): Result<SeriesQuestion> {
  const filters = readFilters(target, { names, from: integer, step });
  if (!filters.ok) return filters;
  const { names: asked, from, step: stepMs } = filters.value;
  const selected = new Set<SeriesName>();
  for (const name of asked ?? seriesNames) {
    const known = seriesNames.find((each) => each === name);
    if (known === undefined) return refused(`names are ${seriesNames.join(', ')}: not ${name}`);
    selected.add(known);
  }
  const earliest = now - minutesMax * minuteMs;
  if (from !== null && from > now) return refused('from is in the future');
  return ok({
    names: [...selected],
    from: Math.max(earliest, from ?? earliest),
    stepMs: stepMs ?? minuteMs,
  });
}
