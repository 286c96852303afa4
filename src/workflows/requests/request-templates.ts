/**
 * Templates of requests for runs: everything but the run and the body. The next request with the
 * same headers is made from the template (`AlikeRequests`). Pure.
 */
import type { RequestTemplate } from '../../messaging/publishing/submissions.js';
import type { StartRun, SubmitStep } from '../run-state/run.commands.js';
import { parseNewRunId, parseRunId } from './run-headers.js';
import { startSubmission, stepSubmission } from './run-submissions.js';
import { parseStepBody } from './step.request.js';

/** The template of a step that names no point in time. */
export function stepTemplate({
  type,
  kind,
  at: firstAt,
  notBefore,
  options,
  failureCallback,
}: SubmitStep): RequestTemplate {
  const delayMs = notBefore - firstAt;
  return {
    again(name, body, { at, names }) {
      const runId = parseRunId(name.trim());
      const step = parseStepBody(body);
      if (!runId.ok || !step.ok) return undefined;
      return stepSubmission({
        type,
        kind,
        id: runId.value,
        at,
        step: step.value,
        messageId: names.next('msg'),
        body,
        notBefore: at + delayMs,
        options,
        failureCallback,
      });
    },
  };
}

/** The template of a start by an endpoint or client that names no point in time. */
export function startTemplate(first: StartRun): RequestTemplate {
  const { type, kind, configuration, payloadOffset, isTakeover } = first;
  const { invoker, inherited, repeated, handedOver } = first;
  const delayMs = first.notBefore - first.at;
  return {
    again(name, body, { at, callerIp, names }) {
      const runId = parseNewRunId(name.trim());
      // The runs share one configuration object, which holds the caller's IP.
      if (!runId.ok || callerIp !== configuration.callerIp) return undefined;
      return startSubmission({
        type,
        kind,
        id: runId.value,
        at,
        configuration,
        messageId: names.next('msg'),
        payload: body,
        payloadOffset,
        notBefore: at + delayMs,
        isTakeover,
        invoker,
        inherited,
        repeated,
        handedOver,
      });
    },
  };
}
