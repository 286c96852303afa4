import { parseReadLimits, parseTimeout } from '../../../src/topics/records/read-limits.js';

it.each([
  [undefined, 5],
  ['20', 20],
  [0, 0],
  [61_000, 60_000],
])('a timeout of %j is %d ms', (value, timeoutMs) => {
  expect(parseTimeout(value, 5)).toEqual({ ok: true, value: timeoutMs });
});

const usual = { timeoutMs: 1000, maxRecords: 500, maxBytes: 50 * 1024 * 1024 };

it.each([
  [{}, usual],
  [{ timeout: null, maxRecords: null, maxBytes: null }, usual],
  [
    { timeout: '0', maxRecords: 1, maxBytes: 2 },
    { timeoutMs: 0, maxRecords: 1, maxBytes: 2 },
  ],
  [
    { timeout: 1e9, maxRecords: 1e9, maxBytes: 1e9 },
    { timeoutMs: 60_000, maxRecords: 10_000, maxBytes: usual.maxBytes },
  ],
])('limits of %j are %j', (fields, value) => {
  expect(parseReadLimits(fields)).toEqual({ ok: true, value });
});

it.each([
  ['timeout', -1],
  ['timeout', 'soon'],
  ['maxRecords', 0],
  ['maxRecords', 1.5],
  ['maxBytes', '7'],
])('a %s of %j is refused by its name', (name, value) => {
  const limits = parseReadLimits({ [name]: value });
  expect(limits).toMatchObject({ ok: false, message: expect.stringContaining(name) });
});
