/** Parses and checks requests to the journal (administration.md 1). Pure. */
import { principalFilter } from '../../engine/principal/shown-principal.js';
import { parseDuration } from '../../grammar/duration.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { cursorFilter, offsetPlace } from '../../http/cursor.js';
import {
  count,
  type FilterReader,
  names,
  oneOf,
  readFilters,
  text,
  whenGiven,
} from '../../http/query-filters.js';
import { type JournalMoment, readMoment } from './journal-moment.js';
import type { JournalSelection } from './journal-selection.js';
import { isEventType } from './known-events.js';

/** How many events an answer has by default, and at most. */
const countStandard = 100;
const countMax = 1000;

/** How many steps are counted in one answer. */
const stepsMax = 1000;
const stepMsStandard = 60 * 60 * 1000;
const stepMsMin = 1000;

/** A query of the journal; its moments are not resolved yet. */
export interface JournalQuestion {
  readonly from: JournalMoment | null;
  readonly until: JournalMoment | null;
  readonly selected: Pick<JournalSelection, 'stream' | 'types' | 'by' | 'order'>;
  /** Where the previous answer ended; null if there was none. */
  readonly cursor: number | null;
  readonly count: number;
  /** Whether to include bodies. */
  readonly hasBodies: boolean;
  /** Whether to include redacted parts and secrets. */
  readonly isRevealed: boolean;
}

const moment = whenGiven(text, readMoment);

const yes: FilterReader<boolean> = (values) => {
  const word = oneOf('true', 'false')(values);
  return word.ok ? ok(word.value === 'true') : word;
};

const step = whenGiven(text, (given) => {
  const duration = parseDuration(given);
  return duration.ok && duration.value < stepMsMin ? refused('is shorter than 1s') : duration;
});

const eventTypes = whenGiven(names, (types) => {
  const unknown = types.find((type) => !isEventType(type));
  return unknown === undefined ? ok(types) : refused(`names an unknown event type: ${unknown}`);
});

/** Parses the query of `GET /admin/journal`. */
export function parseJournalQuery(target: string): Result<JournalQuestion> {
  const filters = readFilters(target, {
    from: moment,
    until: moment,
    stream: text,
    type: eventTypes,
    by: text,
    order: oneOf('oldest', 'newest'),
    cursor: cursorFilter(offsetPlace),
    count: count(countStandard, countMax),
    bodies: yes,
    reveal: yes,
  });
  if (!filters.ok) return filters;
  const { from, until, stream, type, by, order, cursor: after, bodies, reveal } = filters.value;
  return ok({
    from,
    until,
    selected: {
      stream,
      types: type === null ? null : new Set(type),
      by: by === null ? null : principalFilter(by),
      order: order ?? 'oldest',
    },
    cursor: after,
    count: filters.value.count,
    hasBodies: bodies,
    isRevealed: reveal,
  });
}

/** The query of `GET /admin/journal/activity`; times are in Unix ms. */
export interface ActivityQuestion {
  readonly from: number;
  readonly until: number;
  readonly stepMs: number;
}

const time = whenGiven(moment, (given) =>
  'time' in given
    ? ok(given.time)
    : refused('is an offset: give Unix milliseconds or a date like 2026-11-23T04:00:00Z'),
);

/** By default, the day before `now` in steps of an hour. */
export function parseActivityQuery(target: string, now: number): Result<ActivityQuestion> {
  const filters = readFilters(target, { from: time, until: time, step });
  if (!filters.ok) return filters;
  const stepMs = filters.value.step ?? stepMsStandard;
  const until = filters.value.until ?? now;
  const from = filters.value.from ?? until - 24 * stepMs;
  if (from >= until) return refused('from is not before until');
  if ((until - from) / stepMs > stepsMax) return refused(`step makes more than ${stepsMax} counts`);
  return ok({ from, until, stepMs });
}

/** An entity and a moment. */
export interface EntityQuestion {
  readonly stream: string;
  /** null = now. */
  readonly asOf: JournalMoment | null;
  readonly isRevealed: boolean;
}

/** Parses the query of `GET /admin/journal/entity`. */
export function parseEntityQuery(target: string): Result<EntityQuestion> {
  const filters = readFilters(target, { stream: text, asOf: moment, reveal: yes });
  if (!filters.ok) return filters;
  const { stream, asOf, reveal } = filters.value;
  if (stream === null || !stream.includes('/')) return refused('stream must be <kind>/<id>');
  return ok({ stream, asOf, isRevealed: reveal });
}
