/**
 * Parses an invocation, as an invoking step sends it: the child's payload, and the run that waits
 * (workflows.md 3.6). Pure.
 */
import { isJsonObject, parseJson } from '../../grammar/json.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import type { InvokeRun } from '../run-state/run.commands.js';
import { runKind, type StepInfo } from '../run-state/run.events.js';
import { parseRunId, type ReadRunRequest } from './run-headers.js';
import { startIn } from './run-start.js';
import { parseStep } from './step.request.js';

/** The invocation that a request submits. */
export function invocationIn(request: ReadRunRequest): InvokeRun | Refusal {
  const envelope = parseInvokeEnvelope(request.publish.body);
  if (!envelope.ok) return envelope;
  const child = startIn(request);
  if (child instanceof Refusal) return child;
  const { parentId, step: invoking, payload } = envelope.value;
  const { invoker, ...start } = child;
  return {
    type: 'InvokeRun',
    kind: runKind,
    id: parentId,
    at: request.publish.context.at,
    step: invoking,
    child: { ...start, payload },
  };
}

/** An invocation: in its step `step`, the run `parentId` waits for the end of a child. */
export interface InvokeEnvelope {
  readonly parentId: string;
  readonly step: StepInfo;
  /** The child's payload; empty if the envelope has none. */
  readonly payload: Buffer;
}

/**
 * Reads the body of an invocation. The parent's URL, headers and creation time in it are ignored,
 * because the parent run itself holds them.
 */
export function parseInvokeEnvelope(body: Buffer): Result<InvokeEnvelope> {
  const json = parseJson(body);
  if (!json.ok) return json;
  const { value: fields } = json;
  if (!isJsonObject(fields)) return refused('an invocation must be a JSON object');
  const parent = fields['workflowRunId'];
  const payload = fields['body'] ?? '';
  if (typeof payload !== 'string') return refused('body of the invocation must be a string');
  if (typeof parent !== 'string') return refused('workflowRunId of the invocation is missing');
  const parentId = parseRunId(parent);
  if (!parentId.ok) return refused(`workflowRunId of the invocation ${parentId.message}`);
  const step = parseStep(withConcurrent(fields['step']));
  if (!step.ok) return refused(`the step of the invocation: ${step.message}`);
  if (step.value.target !== null) return refused('the step of the invocation must not be a plan');
  return ok({ parentId: parentId.value, step: step.value, payload: Buffer.from(payload) });
}

/** An invoking step without `concurrent` runs alone. */
function withConcurrent(step: unknown): unknown {
  if (!isJsonObject(step)) return step;
  const { concurrent, ...others } = step;
  return { concurrent: concurrent ?? 1, ...others };
}
