/**
 * The runs that replace a failed run: a resumed run continues with everything that was finished, a
 * restarted run begins again (workflows.md 6.2). Nothing is stored twice. Pure.
 */
import type { TurnNames } from '../../engine/decider.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { dialects } from '../../http/dialect.js';
import { retriedMessage } from '../../messaging/dead-letters/retry.request.js';
import type { MessagePublished, Published } from '../../messaging/messages/message.events.js';
import { relabeled } from '../requests/run-headers.js';
import type { StartRun } from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import {
  type Inheritance,
  type OpenCall,
  type RunConfiguration,
  type RunEntry,
  type RunTerms,
  runKind,
} from '../run-state/run.events.js';
import type { RevivalOverrides } from './revival.request.js';

type Message = Omit<MessagePublished, 'type'>;
type Repeated = StartRun['repeated'][number];

/** The id of the new run, its start time, and the overrides. */
export interface Revival {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** Generates the ids of the new run's messages. */
  readonly names: TurnNames;
  readonly overrides: RevivalOverrides;
}

/** The parts of the failed run that every revival needs. */
export interface FailedRunRemains {
  readonly configuration: RunConfiguration;
  readonly payload: Buffer;
  /** Offset of the event that stores the payload. */
  readonly payloadOffset: number;
}

/**
 * Completes the flow control of the overrides: if they set only the key or only the value, the
 * other is the failed run's. Refused if the failed run has none.
 */
export function completed(
  overrides: RevivalOverrides,
  { terms: { flowControl } }: RunConfiguration,
): Result<RevivalOverrides> {
  const key = overrides.flowControl.key ?? flowControl?.key ?? null;
  const value = overrides.flowControl.value ?? flowControl;
  if (key === null) return refused('Flow-Control-Key is missing');
  if (value === null) return refused('Flow-Control-Value is missing');
  const message = { ...overrides.message, flowControl: { ...value, key } };
  return ok({ ...overrides, message });
}

/** A run from the beginning, with the payload and the configuration of the failed run. */
export function restartedRun(
  { configuration, payload, payloadOffset }: FailedRunRemains,
  { id, at, names, overrides }: Revival,
): StartRun {
  return {
    type: 'StartRun',
    kind: runKind,
    id,
    at,
    configuration: overridden(configuration, overrides),
    messageId: names.next('msg'),
    payload,
    payloadOffset,
    notBefore: overrides.notBefore ?? at + overrides.delayMs,
    isTakeover: false,
    invoker: null,
    inherited: null,
    repeated: [],
    handedOver: [],
  };
}

/**
 * What a resumed run inherits from a failed run: its lists and nothing else. `announcers` are the
 * runs that announced the webhooks among its entries.
 */
export function inheritanceOf(
  runId: string,
  {
    entries,
    calls,
    waits,
    notifications,
    invocations,
  }: Pick<RunContext, 'entries' | 'calls' | 'waits' | 'notifications' | 'invocations'>,
  announcers: readonly string[],
): Inheritance {
  const lists = { entries: entries.toArray(), calls, waits, notifications, invocations };
  return { runId, ...lists, ...(announcers.length > 0 && { announcers }) };
}

/**
 * A run that continues with everything the failed run had, and delivers the `undelivered` messages
 * again, each with a new id. The last entry of such a delivery takes the new id too, because every
 * delivery ends with the entry of the same id.
 */
export function resumedRun(
  remains: FailedRunRemains,
  inherited: Inheritance,
  undelivered: readonly Published[],
  revival: Revival,
): StartRun {
  const { at, overrides, names } = revival;
  const originals = latestOfEach(undelivered);
  const repeated = originals.map(
    (original): Repeated => ({
      messageId: names.next('msg'),
      message: repeatedMessage(original, overrides, at),
    }),
  );
  const deliveries = new Map(
    repeated.map(({ message: { run }, messageId }) => [run?.entry, messageId]),
  );
  const entries = inherited.entries.map((entry, index): RunEntry => {
    const messageId = deliveries.get(index);
    return messageId === undefined ? entry : { ...entry, messageId };
  });
  const calls = openCalls(inherited.calls, originals, repeated);
  const restarted = restartedRun(remains, revival);
  return {
    ...restarted,
    messageId: entries[0]?.messageId ?? restarted.messageId,
    inherited: { ...inherited, entries, calls },
    repeated,
  };
}

/**
 * The latest message of each entry: an initial delivery that was published twice is repeated only
 * once.
 */
function latestOfEach(undelivered: readonly Published[]): readonly Published[] {
  const latest = new Map<string, Published>();
  const inOrder = [...undelivered].sort((one, other) => one.offset - other.offset);
  for (const published of inOrder) {
    const { run } = published.event;
    latest.set(run?.role === 'step' ? `entry ${run.entry}` : published.id, published);
  }
  return [...latest.values()];
}

/** A sleep keeps its end time; a call to a third party keeps its own options. */
function repeatedMessage(original: Published, overrides: RevivalOverrides, at: number): Message {
  const { run, notBefore, callback } = original.event;
  const isCall = run?.role === 'call';
  const again = retriedMessage(original, isCall ? { ...overrides, message: {} } : overrides, at);
  return {
    ...again,
    notBefore: Math.max(again.notBefore, notBefore),
    bodyOffset: isCall ? again.bodyOffset : null,
    callback: callback === null ? null : { ...callback, ...overrides.message },
  };
}

/** The calls that are made again, and those whose answer is delivered again. */
function openCalls(
  calls: readonly OpenCall[],
  originals: readonly Published[],
  repeated: readonly Repeated[],
): readonly OpenCall[] {
  const names = new Map<string, string>();
  for (const [index, { id, event }] of originals.entries()) {
    const { run, callbackOf } = event;
    if (run?.role === 'call') names.set(id, repeated[index]?.messageId ?? id);
    if (run?.role === 'callResult' && callbackOf !== null) {
      names.set(callbackOf.messageId, callbackOf.messageId);
    }
  }
  return calls.flatMap((call) => {
    const messageId = names.get(call.messageId);
    return messageId === undefined ? [] : [{ ...call, messageId }];
  });
}

function overridden(
  configuration: RunConfiguration,
  { message, failureCallback: url }: RevivalOverrides,
): RunConfiguration {
  const { labels } = message;
  const shown = labels === undefined ? configuration : showing(configuration, labels);
  const terms = { ...shown.terms, ...message };
  if (url === null) return { ...shown, terms };
  const failureCallback = { ...(terms.failureCallback ?? plainCallback(terms)), url };
  return { ...shown, terms: { ...terms, failureCallback } };
}

/** Replaces the labels in the headers, where the endpoint reads them (workflows.md 1.5). */
function showing(configuration: RunConfiguration, labels: readonly string[]): RunConfiguration {
  const { headers, failureHeaders } = configuration;
  const dialect = dialects[configuration.dialect];
  return {
    ...configuration,
    headers: relabeled(headers, dialect, labels),
    failureHeaders: relabeled(failureHeaders, dialect, labels),
  };
}

function plainCallback({
  maxRetries,
  redaction,
}: RunTerms): NonNullable<RunTerms['failureCallback']> {
  return {
    url: '',
    method: 'POST',
    contentType: 'application/json',
    delayMs: 0,
    timeoutMs: null,
    maxRetries,
    retryDelay: null,
    labels: [],
    flowControl: null,
    redaction,
  };
}
