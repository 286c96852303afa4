/** Durations as people write them in options: `1d10h30m`, `90`, `2.5s`. Pure. */
import { ok, type Result, refused } from './result.js';

/** Milliseconds per unit (messaging.md 3.2: a month is 30 days, a year 365). */
const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  mo: 2_592_000_000,
  y: 31_536_000_000,
};

const lengthMax = 64;
const whole = /^(?:\d+|(?:\d+(?:mo|[smhdwy]))+)$/;
const fractional = /^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:mo|[smhdwy]))+)$/;
const part = /([\d.]+)(mo|[smhdwy])?/g;

/**
 * Parses a delay or a period: whole numbers with the units s, m, h, d, w, mo, y, added up
 * (`1d10h30m`); a bare number is seconds. Returns whole milliseconds.
 */
export function parseDuration(text: string): Result<number> {
  return parseAs(whole, text, 'must be a duration like 90, 30s or 1d10h30m');
}

/** Like `parseDuration`, with fractions (`2.5s`) and never zero: for the timeout of an attempt. */
export function parseTimeout(text: string): Result<number> {
  const timeout = parseAs(fractional, text, 'must be a duration like 30, 2.5s or 1m30s');
  return timeout.ok && timeout.value === 0 ? refused('must be longer than zero') : timeout;
}

function parseAs(grammar: RegExp, text: string, reason: string): Result<number> {
  // The length is checked first, so that no text makes the grammar work for long.
  if (text.length > lengthMax || !grammar.test(text)) return refused(reason);
  let total = 0;
  part.lastIndex = 0;
  for (let found = part.exec(text); found !== null; found = part.exec(text)) {
    total += Number(found[1]) * (unitMs[found[2] ?? 's'] ?? Number.NaN);
  }
  const milliseconds = Math.round(total);
  return Number.isSafeInteger(milliseconds) ? ok(milliseconds) : refused('is too long');
}
