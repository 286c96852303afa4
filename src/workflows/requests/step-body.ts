/** A step as its submission spells it (workflows.md 3.1). Pure. */
import { isJsonObject, parseJson } from '../../grammar/json.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import type { StepInfo } from '../run-state/run.events.js';

/** Names and types stay in memory as long as their run is active, so they are not for prose. */
export const stepNameLengthMax = 1024;

/**
 * Reads the JSON of a step. Only its name, type and numbers are kept in memory; its text is stored
 * as it came. Everything else in it is for the endpoint, and so is a type unknown to the server.
 */
export function parseStepBody(body: Buffer): Result<StepInfo> {
  const json = parseJson(body);
  return json.ok ? parseStep(json.value) : json;
}

/** One step: older clients write `null` for what they do not use. */
export function parseStep(value: unknown): Result<StepInfo> {
  if (!isJsonObject(value)) return refused('a step must be a JSON object');
  const { stepId, stepName, stepType, concurrent, targetStep } = value;
  if (!isWhole(stepId, 0)) return refused('stepId must be a whole number of 0 or more');
  if (!isStepName(stepName))
    return refused(`stepName must have 1 to ${stepNameLengthMax} characters`);
  if (!isStepName(stepType))
    return refused(`stepType must have 1 to ${stepNameLengthMax} characters`);
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

/** Whether a step, or its type, may be called this. */
export function isStepName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= stepNameLengthMax;
}
