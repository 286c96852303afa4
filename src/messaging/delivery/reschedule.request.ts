/** Reads when the next attempt of a message is to start (messaging.md 2.6). Pure. */
import { z } from 'zod';
import { parseDuration } from '../../grammar/duration.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';

/** The body of `PATCH /v2/messages/{id}`: exactly one field, which `parseReschedule` checks. */
export const rescheduleSchema = z.strictObject({
  notBefore: z.int().min(0).describe('Unix milliseconds').optional(),
  delay: z.string().describe('Delay from now: 90, 30s, 1d10h30m').optional(),
});

/** Turns `{"notBefore"}` or `{"delay"}` into Unix milliseconds; a time in the past becomes now. */
export function parseReschedule(body: Buffer, at: number, delayMaxMs: number): Result<number> {
  const read = readJsonBody(body, rescheduleSchema);
  if (!read.ok) return read;
  const { notBefore, delay } = read.value;
  if ((notBefore === undefined) === (delay === undefined)) {
    return refused('the body must have either notBefore or delay');
  }
  const time = delay === undefined ? ok(notBefore ?? 0) : timeAfter(delay, at);
  if (!time.ok) return time;
  if (time.value - at > delayMaxMs) {
    return new Refusal('over_limit', `the time must be at most ${delayMaxMs / 1000}s from now`);
  }
  return ok(Math.max(time.value, at));
}

function timeAfter(delay: string, at: number): Result<number> {
  const length = parseDuration(delay);
  return length.ok ? ok(at + length.value) : length.of('delay');
}
