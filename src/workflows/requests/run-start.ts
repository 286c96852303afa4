/** Makes the start of a workflow run from any request (workflows.md 1.3 and 1.5). Pure. */
import type { Refusal } from '../../grammar/result.js';
import type { MessageHeaders } from '../../http/dialect.js';
import type { StartRun } from '../run-state/run.commands.js';
import { type RunConfiguration, runKind } from '../run-state/run.events.js';
import {
  failureHeaders,
  headerOf,
  ownHeaders,
  type ReadRunRequest,
  type WorkflowOptions,
  withLabel,
} from './run-headers.js';

/** The abilities of the endpoint's SDK. */
export type EndpointAbilities = Pick<
  RunConfiguration,
  'answerCheck' | 'fetchesLazily' | 'reportsInitialBody'
>;

/** The deepest chain of runs that invoke runs; a deeper chain is a mistake. */
const invokeCountMax = 100;
const invokeCount = 'workflow-invoke-count';

/** The command that starts a run or takes one over; `payload` is the initial entry. */
export function startRun(
  { publish, said, options, message }: ReadRunRequest,
  payload: Buffer,
  abilities: EndpointAbilities,
): StartRun {
  const { failureCallback } = message;
  const { at, names } = publish.context;
  return {
    type: 'StartRun',
    kind: runKind,
    id: options.runId ?? names.next('wfr'),
    at,
    configuration: {
      dialect: message.dialect,
      url: message.url,
      callerIp: message.callerIp,
      terms: termsOf(message),
      headers: startHeaders(said, options, message),
      failureHeaders: failureCallback === null ? [] : failureHeaders(failureCallback.headers),
      ...abilities,
    },
    messageId: names.next('msg'),
    payload,
    payloadOffset: null,
    notBefore: message.notBefore,
    isTakeover: options.isTakeover,
    invoker: null,
    inherited: null,
    repeated: [],
    handedOver: [],
  };
}

/** The start that an endpoint, or its client, submits. */
export function startIn(request: ReadRunRequest): StartRun | Refusal {
  const refusal = deepInvocation(request);
  if (refusal !== null) return refusal;
  const { publish, options } = request;
  const { features } = options;
  return startRun(request, publish.body, {
    answerCheck: features.has('WF_DetectTrigger') ? 'protocol' : 'none',
    // The Python client claims to fetch lazily but cannot; it does not claim this later feature.
    fetchesLazily: features.has('LazyFetch') && features.has('WF_TriggerOnConfig'),
    reportsInitialBody: features.has('InitialBody'),
  });
}

/** Why a run is refused whose chain of invocations is too deep; null = it is not. */
export function deepInvocation({ said, message, reader }: ReadRunRequest): Refusal | null {
  const count = headerOf(message.headers, invokeCount);
  if (count === null) return null;
  const option = `forward-${said.dialect.messagePrefix.toLowerCase()}${invokeCount}`;
  if (!/^\d{1,15}$/.test(count)) reader.refuse('invalid', option, 'must be a whole number');
  else if (Number(count) > invokeCountMax) {
    reader.refuse('over_limit', option, `must be at most ${invokeCountMax}`);
  }
  return reader.refusal;
}

function termsOf(message: ReadRunRequest['message']): RunConfiguration['terms'] {
  const { maxRetries, retryDelay, timeoutMs, flowControl, labels, redaction } = message;
  const terms = { maxRetries, retryDelay, timeoutMs, flowControl, labels, redaction };
  if (message.failureCallback === null) return { failureCallback: null, ...terms };
  const { headers, ...failureCallback } = message.failureCallback;
  return { failureCallback, ...terms };
}

function startHeaders(
  { dialect }: MessageHeaders,
  { isUnknownSdk }: WorkflowOptions,
  { headers, labels }: ReadRunRequest['message'],
): readonly string[] {
  const own = withLabel(ownHeaders(headers), dialect, labels);
  return isUnknownSdk && headerOf(own, 'workflow-unknown-sdk') === null
    ? [...own, `${dialect.messagePrefix}Workflow-Unknown-Sdk`, 'true']
    : own;
}
