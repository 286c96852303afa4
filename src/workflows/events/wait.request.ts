/** Parses the request of a wait (workflows.md 3.4). Pure. */
import { z } from 'zod';
import { parseDuration, parseTimeout } from '../../grammar/duration.js';
import { isWellFormed } from '../../grammar/json.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { type Dialect, dialectOf, dialects, readMessageOptions } from '../../http/dialect.js';
import { readJsonBody } from '../../http/json-body.js';
import { stepNameLengthMax } from '../requests/step.request.js';
import type { StepInfo } from '../run-state/run.events.js';

/** A wait as an endpoint requests it. */
export interface WaitRequest {
  readonly runId: string;
  readonly step: StepInfo;
  /** As it was written, for example `7d`. */
  readonly timeout: string;
  readonly timeoutMs: number;
}

/** The option that names the run, without its prefix. */
const runIdOption = 'workflow-runid';

/** The default timeout that clients expect. */
const standardTimeout = '7d';

const stepName = z
  .string()
  .min(1)
  .max(stepNameLengthMax)
  .refine(isWellFormed, 'contains an unpaired surrogate');

/** Unknown fields are ignored: the run itself holds how its endpoint is called. */
export const waitSchema = z.object({
  step: z.object({
    stepId: z.int().min(1),
    stepName,
    stepType: stepName,
    concurrent: z.int().min(1).nullish(),
  }),
  timeout: z
    .union([z.string(), z.number()])
    .nullish()
    .describe('How long to wait: 7d, 1h30m, or a number of seconds; default 7d'),
  timeoutHeaders: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .nullish()
    .describe('Headers of the run, which name the run if the request does not'),
  url: z.string().nullish().describe('The endpoint of the run; default: the one that the run has'),
});

/**
 * Reads a wait; the reason of a refusal is meant for the developer of the client. `standard` is the
 * dialect of a client whose headers do not name one.
 */
export function parseWait(
  rawHeaders: readonly string[],
  body: Buffer,
  standard: Dialect,
): Result<WaitRequest> {
  const read = readJsonBody(body, waitSchema);
  if (!read.ok) return read;
  const { step, timeout, timeoutHeaders } = read.value;
  const ofRun = pairsOf(timeoutHeaders ?? {});
  const runId = runIdIn(rawHeaders) ?? runIdIn(ofRun);
  if (runId === null) {
    const { messagePrefix } = dialectOf([...rawHeaders, ...ofRun], standard);
    return refused(`the header ${messagePrefix}Workflow-RunId is missing`);
  }
  const written = String(timeout ?? standardTimeout);
  const timeoutMs = parseWaitingTime(written);
  if (!timeoutMs.ok) return refused(`timeout ${timeoutMs.message}`);
  const { stepId: id, stepName: name, stepType: type, concurrent } = step;
  return ok({
    runId,
    step: { id, name, type, concurrent: concurrent ?? 1, target: null },
    timeout: written,
    timeoutMs: timeoutMs.value,
  });
}

/** Like the timeout of an attempt, it may have fractions; it may also be zero. */
function parseWaitingTime(written: string): Result<number> {
  const whole = parseDuration(written);
  return whole.ok ? whole : parseTimeout(written);
}

function runIdIn(pairs: readonly string[]): string | null {
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    // Read one pair at a time, because clients send the option twice, and repeated options are
    // joined.
    const pair = pairs.slice(index, index + 2);
    const { options } = readMessageOptions(pair, dialects.svc);
    const runId = options.get(runIdOption);
    if (runId !== undefined && runId !== '') return runId;
  }
  return null;
}

function pairsOf(headers: Readonly<Record<string, string | readonly string[]>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [name, [value].flat()[0] ?? '']);
}
