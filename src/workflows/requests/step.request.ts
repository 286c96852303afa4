/** Parses the submission of a step into the command that stores it (workflows.md 3.1). Pure. */
import { isJsonObject, isWellFormed, parseJson } from '../../grammar/json.js';
import { ok, type Refusal, type Result, refused } from '../../grammar/result.js';
import type { OptionHeaders } from '../../http/dialect.js';
import type { OptionReader } from '../../messaging/publishing/option-reader.js';
import type { StepOptions, SubmitStep } from '../run-state/run.commands.js';
import { runKind, type StepInfo } from '../run-state/run.events.js';
import { failureHeaders, ownHeaders, type ReadRunRequest } from './run-headers.js';

/** The step that a request submits. */
export function stepIn(request: ReadRunRequest): SubmitStep | Refusal {
  const { publish, said, message } = request;
  const { body, context } = publish;
  const runId = runIdOf(request);
  if (runId === null) return refusalIn(request.reader);
  const info = parseStepBody(body);
  if (!info.ok) return info.of('this is no step:');
  const { failureCallback } = message;
  return {
    type: 'SubmitStep',
    kind: runKind,
    id: runId,
    at: context.at,
    step: info.value,
    messageId: context.names.next('msg'),
    body,
    notBefore: message.notBefore,
    options: stepOptions(said, message),
    failureCallback:
      failureCallback === null
        ? null
        : { ...failureCallback, headers: failureHeaders(failureCallback.headers) },
  };
}

/** The run that the request adds to; null = the request does not name it, and is refused. */
export function runIdOf({ reader, options }: ReadRunRequest): string | null {
  if (options.runId === null) reader.refuse('invalid', 'workflow-runid', 'is missing');
  return options.runId;
}

/** The refusal that the reader noted. */
export function refusalIn({ refusal }: OptionReader): Refusal {
  if (refusal === null) throw new Error('refused without a reason');
  return refusal;
}

/**
 * The options that a step sets itself; for the others, the run's terms apply (workflows.md 1.5).
 */
export function stepOptions(
  { options }: OptionHeaders,
  message: Pick<ReadRunRequest['message'], keyof StepOptions>,
): StepOptions {
  const { maxRetries, retryDelay, timeoutMs, flowControl, labels, redaction, headers } = message;
  return {
    maxRetries: options.has('retries') ? maxRetries : null,
    retryDelay,
    timeoutMs,
    flowControl,
    labels: options.has('label') ? labels : null,
    redaction,
    headers: ownHeaders(headers),
  };
}

/** Bounded, because names and types stay in memory as long as their run is active. */
export const stepNameLengthMax = 1024;

/**
 * Reads the JSON of a step. Only its name, type and numbers are kept in memory; its text is stored
 * unchanged. All other fields, and types that the server does not know, are for the endpoint.
 */
export function parseStepBody(body: Buffer): Result<StepInfo> {
  const json = parseJson(body);
  return json.ok ? parseStep(json.value) : json;
}

/** Reads one step; older clients write `null` for fields that they do not use. */
export function parseStep(value: unknown): Result<StepInfo> {
  if (!isJsonObject(value)) return refused('a step must be a JSON object');
  const { stepId, stepName, stepType, concurrent, targetStep } = value;
  if (!isWhole(stepId, 0)) return refused('stepId must be a whole number of 0 or more');
  if (!isStepName(stepName))
    return refused(
      `stepName must have 1 to ${stepNameLengthMax} characters and no unpaired surrogate`,
    );
  if (!isStepName(stepType))
    return refused(
      `stepType must have 1 to ${stepNameLengthMax} characters and no unpaired surrogate`,
    );
  if (!isWhole(concurrent, 1)) return refused('concurrent must be a whole number of 1 or more');
  const step = { id: stepId, name: stepName, type: stepType, concurrent };
  if (stepId > 0) return ok({ target: null, ...step });
  return isWhole(targetStep, 1)
    ? ok({ target: targetStep, ...step })
    : refused('targetStep of the plan of a step must be a whole number of 1 or more');
}

function isWhole(value: unknown, min: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min;
}

/**
 * Whether this may be the name or type of a step. A lone surrogate would become another character
 * when stored, so that the step would not be recognized again.
 */
export function isStepName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0) return false;
  return value.length <= stepNameLengthMax && isWellFormed(value);
}
