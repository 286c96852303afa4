/**
 * Reads the headers of requests for workflow runs: the options of the run (workflows.md 1.2 and
 * 1.4), the options of its messages, which are read like those of any publish, and the starter's
 * headers for the deliveries (workflows.md 1.5). Pure.
 */
import { isHeaderValue } from '../../grammar/headers.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import {
  type Dialect,
  type MessageHeaders,
  type OptionHeaders,
  optionOf,
} from '../../http/dialect.js';
import type { MessagePublished } from '../../messaging/messages/message.events.js';
import type { OptionReader, PublishRules } from '../../messaging/publishing/option-reader.js';
import {
  type PublishParsed,
  type PublishRequest,
  parsePublish,
} from '../../messaging/publishing/publish.request.js';
import type { PublishTarget } from '../../messaging/publishing/publish-targets.js';

/** The options of a run, besides those of its messages. */
export interface WorkflowOptions {
  /** null = generate an id. */
  readonly runId: string | null;
  /** Whether the request starts a run instead of adding to one. */
  readonly isInit: boolean;
  /** Whether the body is an invocation: another run waits for the end of the started run. */
  readonly isInvoke: boolean;
  /** Whether the endpoint itself sets the options of a run that another client started. */
  readonly isTakeover: boolean;
  /** Whether the endpoint shall take the run over (workflows.md 1.3). */
  readonly isUnknownSdk: boolean;
  /** `toCallback`: call a third party and deliver its answer to the endpoint. */
  readonly callType: 'step' | 'toCallback';
  /** The features that the endpoint's SDK supports. */
  readonly features: ReadonlySet<string>;
}

const noFeatures: ReadonlySet<string> = new Set();
const unknownOption =
  /^workflow-(?!(runid|init|invoke|trigger-by-sdk|unknown-sdk|calltype|url|sdk-version)$)/;

/**
 * Reads the options of a run; `reader` keeps the refusal of an invalid one. `isTrigger`: the route
 * itself means that the request starts a run.
 */
export function readWorkflowOptions(reader: OptionReader, isTrigger = false): WorkflowOptions {
  const isInit = reader.flag('workflow-init');
  const options: WorkflowOptions = {
    runId: reader.read('workflow-runid', null, isInit || isTrigger ? parseNewRunId : parseRunId),
    isInit,
    isInvoke: reader.flag('workflow-invoke'),
    isTakeover: reader.flag('workflow-trigger-by-sdk'),
    isUnknownSdk: reader.flag('workflow-unknown-sdk'),
    callType: reader.read('workflow-calltype', 'step', parseCallType),
    features: reader.read('feature-set', noFeatures, parseFeatures),
  };
  // The run is called at the destination, not at this URL, which must be valid all the same.
  reader.url('workflow-url');
  reader.read('workflow-sdk-version', null, parseVersion);
  reader.refuseOptions(unknownOption, 'is no option of a workflow run');
  return options;
}

function parseCallType(text: string): Result<WorkflowOptions['callType']> {
  return text === 'step' || text === 'toCallback'
    ? ok(text)
    : refused('must be step or toCallback: the server itself sends everything else');
}

/** A cache, because an SDK sends the same features in every request. */
let latestFeatures = { text: '', features: noFeatures };

/** Features that the server does not know are accepted and ignored. */
function parseFeatures(text: string): Result<ReadonlySet<string>> {
  if (latestFeatures.text !== text) {
    latestFeatures = { text, features: new Set(text.split(',').map((name) => name.trim())) };
  }
  return ok(latestFeatures.features);
}

/** So far, the protocol has only one version. */
function parseVersion(text: string): Result<string> {
  return text === '1' ? ok(text) : refused('must be 1');
}

const runIdLengthMax = 512;

/**
 * Parses the id of a run that may exist. Every delivery carries the id in a header, so it must be a
 * valid header value; in the path of a request it is percent-encoded.
 */
export function parseRunId(text: string): Result<string> {
  return text.length > 0 && text.length <= runIdLengthMax && isHeaderValue(text)
    ? ok(text)
    : refused(`must have 1 to ${runIdLengthMax} characters that a header can carry`);
}

/** Characters with another meaning in a URL, and the segments that clients remove from a path. */
const meansMoreInPaths = /[?#%\\\t]|(?:^|\/)\.{1,2}(?:\/|$)/;

/**
 * Parses the id of a new run; slashes and blanks within it are allowed. Clients write the id into
 * paths unencoded, so with some ids they would end, cancel or notify another run; these ids are
 * refused.
 */
export function parseNewRunId(text: string): Result<string> {
  const id = parseRunId(text);
  return id.ok && meansMoreInPaths.test(text)
    ? refused(
        'must have no ?, #, %, \\ or tab, nor . or .. between slashes: ' +
          'clients write it into paths as it is',
      )
    : id;
}

/** A request for a run with all its options read. */
export interface ReadRunRequest {
  readonly publish: PublishRequest;
  /** The options in its headers. */
  readonly said: MessageHeaders;
  readonly options: WorkflowOptions;
  /** The request read as a message; for a start, the terms of every message of the run. */
  readonly message: Omit<MessagePublished, 'type'>;
  readonly reader: OptionReader;
}

/** Default number of retries of a run's messages (workflows.md 1.5). */
const runRetries = 3;

/** Whether an option of a request is not an option of a message. */
type IsLeftOut = (option: string) => boolean;

const ofRuns: IsLeftOut = (option) => option.startsWith('workflow-');
/** A callback of a run has no callback of its own, but older clients send options for one. */
const ofRunCallbacks: IsLeftOut = (option) =>
  ofRuns(option) || option.startsWith('callback') || option.startsWith('failure-callback');
const ofCalls: IsLeftOut = (option) => ofRuns(option) || option === 'failure-callback';

/** Reads a run's request as a message; only a call may have a callback. */
export function readMessage(
  read: Omit<ReadRunRequest, 'message'>,
  target: PublishTarget,
  isCall: boolean,
  rules: PublishRules,
): ReadRunRequest | Refusal {
  const { reader, publish, said } = read;
  const retries = isCall ? rules.retries : Math.min(runRetries, rules.retriesMax);
  const ofMessage = withoutRunOptions(said, isCall);
  // Checked first, because `parsePublish` might refuse a wrong method by naming an option that goes
  // with it, and that no run can have.
  if (!isCall && reader.method() !== 'POST') {
    reader.refuse('invalid', 'method', 'of a workflow must be POST');
  }
  const parsed = parsePublish(publish, target, ofMessage, { ...rules, retries });
  if (parsed.ok) refuseMeaningless(read, parsed, isCall);
  if (reader.refusal !== null) return reader.refusal;
  return parsed.ok ? { message: parsed.message, ...read } : parsed;
}

function withoutRunOptions(headers: MessageHeaders, isCall: boolean): MessageHeaders {
  const { callback, failureCallback } = headers;
  return {
    ...headers,
    ...withoutOptions(headers, isCall ? ofCalls : ofRuns),
    callback: callback === null ? null : withoutOptions(callback, ofRunCallbacks),
    failureCallback:
      failureCallback === null || isCall ? null : withoutOptions(failureCallback, ofRunCallbacks),
  };
}

function withoutOptions(
  { prefix, options, forwarded }: OptionHeaders,
  isLeftOut: IsLeftOut,
): OptionHeaders {
  const kept = new Map<string, string>();
  for (const [name, value] of options) if (!isLeftOut(name)) kept.set(name, value);
  return { prefix, forwarded, options: kept };
}

function refuseMeaningless(
  { reader, said }: Pick<ReadRunRequest, 'reader' | 'said'>,
  { message, schedule }: Extract<PublishParsed, { ok: true }>,
  isCall: boolean,
): void {
  const refuse = (option: string) =>
    reader.refuse('invalid', option, 'means nothing for a workflow run');
  if (schedule !== null) refuse('cron');
  if (message.queueName !== null) refuse('queue-name');
  if (message.deduplicationKey !== null) {
    const isNamed = said.options.has('deduplication-id');
    refuse(isNamed ? 'deduplication-id' : 'content-based-deduplication');
  }
  if (!isCall && message.callback !== null) refuse('callback');
}

/** Options that the server sets itself; a caller that relays its inbound headers sends them too. */
const ofServer: ReadonlySet<string> = new Set([
  'message-id',
  'retried',
  'signature',
  'caller-ip',
  'workflow-runid',
  'workflow-url',
  'workflow-init',
  'workflow-createdat',
  'workflow-sdk-version',
]);

/**
 * Removes the headers that the server sets itself, in any dialect; alternating names and values.
 */
export function ownHeaders(forwarded: readonly string[]): readonly string[] {
  return without(forwarded, (option) => ofServer.has(option));
}

/**
 * The headers that a failure callback may have: `ownHeaders` without the mark that asks for a
 * takeover.
 */
export function failureHeaders(forwarded: readonly string[]): readonly string[] {
  return without(ownHeaders(forwarded), (option) => option === 'workflow-unknown-sdk');
}

/** Adds the header that shows the run's labels to its endpoint, unless there is one. */
export function withLabel(
  headers: readonly string[],
  { messagePrefix }: Dialect,
  labels: readonly string[],
): readonly string[] {
  return labels.length === 0 || headerOf(headers, 'label') !== null
    ? headers
    : [...headers, `${messagePrefix}Label`, labels.join(',')];
}

/** Replaces the header that shows the run's labels to its endpoint. */
export function relabeled(
  headers: readonly string[],
  dialect: Dialect,
  labels: readonly string[],
): readonly string[] {
  return withLabel(
    without(headers, (option) => option === 'label'),
    dialect,
    labels,
  );
}

/** The value of `<any prefix><option>`; null = absent. */
export function headerOf(headers: readonly string[], option: string): string | null {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (optionOf(headers[index] ?? '') === option) return headers[index + 1] ?? '';
  }
  return null;
}

function without(
  headers: readonly string[],
  isLeftOut: (option: string) => boolean,
): readonly string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const option = optionOf(name);
    if (option === null || !isLeftOut(option)) kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}
