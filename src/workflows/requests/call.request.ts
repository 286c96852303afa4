/** Parses a call of a third party, as a run's endpoint submits it (workflows.md 3.3). Pure. */
import type { Refusal } from '../../grammar/result.js';
import type { OptionReader } from '../../messaging/publishing/option-reader.js';
import type { RequestCall } from '../run-state/run.commands.js';
import { runKind, type StepInfo } from '../run-state/run.events.js';
import { headerOf, type ReadRunRequest } from './run-headers.js';
import { isStepName, refusalIn, runIdOf, stepOptions } from './step.request.js';

/** The call that a request submits. The headers of its answer name the step. */
export function callIn(request: ReadRunRequest): RequestCall | Refusal {
  const { reader, publish, said, message } = request;
  const { body, context } = publish;
  const runId = runIdOf(request);
  const callbackHeaders = said.callback;
  const { callback } = message;
  if (callback === null || callbackHeaders === null)
    reader.refuse('invalid', 'callback', 'is missing');
  const info = callback === null ? null : callStep(callback.headers, reader, said.prefix);
  if (runId === null || info === null || callback === null || callbackHeaders === null) {
    return refusalIn(reader);
  }
  return {
    type: 'RequestCall',
    kind: runKind,
    id: runId,
    at: context.at,
    step: info,
    messageId: context.names.next('msg'),
    message: { ...message, callback: null, failureCallback: null },
    body,
    callback: stepOptions(callbackHeaders, callback),
  };
}

const whole = /^\d{1,9}$/;
const shownLengthMax = 64;

/**
 * The step that the headers of a call's answer name. null = a header is missing or invalid, so that
 * the endpoint could not turn the answer into a step; `reader` keeps the refusal. `prefix` is the
 * prefix of the request's dialect.
 */
export function callStep(
  headers: readonly string[],
  reader: OptionReader,
  prefix: string,
): StepInfo | null {
  const read = (name: string, isSelected: (text: string) => boolean): string => {
    const value = headerOf(headers, `workflow-${name}`);
    if (value !== null && isSelected(value)) return value;
    const reason =
      value === null ? 'is missing' : `is ${JSON.stringify(shown(value))}, which is no ${name}`;
    reader.refuse('invalid', `callback-forward-${prefix}workflow-${name}`, reason);
    return '';
  };
  const isText = (text: string) => text !== '';
  const isAboveZero = (text: string) => whole.test(text) && Number(text) > 0;
  const id = read('stepid', isAboveZero);
  const name = read('stepname', isStepName);
  const type = read('steptype', isStepName);
  const concurrent = read('concurrent', isAboveZero);
  read('contenttype', isText);
  if (reader.refusal !== null) return null;
  return { id: Number(id), name, type, concurrent: Number(concurrent), target: null };
}

/** Shortens a value that may be long. */
function shown(value: string): string {
  return value.length <= shownLengthMax ? value : `${value.slice(0, shownLengthMax)}...`;
}
