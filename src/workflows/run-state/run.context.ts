/**
 * What the machine of a run remembers, and how each event changes it. Bodies and headers stay in
 * the journal, so that a sleeping run costs a few hundred bytes. Pure.
 */
import { EntryList } from './entry-list.js';
import { initialStep } from './known-steps.js';
import {
  type AnswerCheck,
  type Invoker,
  type OpenCall,
  type OpenInvocation,
  type OpenWait,
  type RunEntry,
  type RunEvent,
  type RunTerms,
  type StepInfo,
  type StoredNotification,
} from './run.events.js';

/** An event with the time and the offset at which the journal has it. */
export type RecordedRunEvent = RunEvent & { readonly at: number; readonly offset: number };

/** One kind of these events. */
type Recorded<Type extends RunEvent['type']> = Extract<RecordedRunEvent, { readonly type: Type }>;

/** The data from which every message of a run is made, and the lists that grow with its steps. */
export interface RunContext {
  readonly dialect: 'svc' | 'upstash';
  readonly url: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly callerIp: string;
  /** Journal offset of `RunStarted`. */
  readonly startedOffset: number;
  /** Journal offset of the configuration in force: `RunStarted` or `RunReconfigured`. */
  readonly configurationOffset: number;
  /** Journal offset of the event that holds the failure callback's headers. */
  readonly failureCallbackOffset: number;
  readonly terms: RunTerms | null;
  readonly answerCheck: AnswerCheck;
  readonly fetchesLazily: boolean;
  /** The run that waits for this one's end. */
  readonly invoker: Invoker | null;
  readonly entries: EntryList;
  readonly calls: readonly OpenCall[];
  readonly waits: readonly OpenWait[];
  readonly notifications: readonly StoredNotification[];
  readonly invocations: readonly OpenInvocation[];
}

/** The fields that an event changes. */
type Changes = Partial<RunContext>;

/** The context of a run that has not started. */
export const nothingBegun: RunContext = {
  dialect: 'svc',
  url: '',
  createdAt: 0,
  callerIp: '',
  startedOffset: -1,
  configurationOffset: -1,
  failureCallbackOffset: -1,
  terms: null,
  answerCheck: 'none',
  fetchesLazily: false,
  invoker: null,
  entries: EntryList.of([]),
  calls: [],
  waits: [],
  notifications: [],
  invocations: [],
};

/** A resumed run begins with its inheritance, any other run with its payload as the first entry. */
export function begun(event: Recorded<'RunStarted'>): Changes {
  const { at, offset, invoker, inherited, messageId, payloadBytes: bytes } = event;
  const started = { createdAt: at, startedOffset: offset, invoker, ...configured(event) };
  if (inherited === null) {
    const initial = { messageId, offset, step: initialStep, bytes };
    return { entries: EntryList.of([initial]), ...started };
  }
  const { entries, calls, waits, notifications, invocations } = inherited;
  return {
    entries: EntryList.of(entries),
    calls,
    waits,
    notifications,
    invocations,
    ...started,
  };
}

/** The initial entry is delivered again, so it takes the id of the new message. */
export function reconfigured({ entries }: RunContext, event: Recorded<'RunReconfigured'>): Changes {
  const [initial, ...later] = entries.toArray();
  if (initial === undefined) return configured(event);
  const { messageId } = event;
  return { entries: EntryList.of([{ ...initial, messageId }, ...later]), ...configured(event) };
}

/** Stores the failure callback in the terms of the run; its headers stay in the journal. */
export function failureCallbackNamed(
  { terms }: RunContext,
  { callback, offset }: Recorded<'FailureCallbackNamed'>,
): Changes {
  if (terms === null) return {};
  const { headers: _, ...failureCallback } = callback;
  return { terms: { ...terms, failureCallback }, failureCallbackOffset: offset };
}

/** Adds the step as an entry, and closes its call if the step is the answer to one. */
export function stepStored(context: RunContext, event: Recorded<'StepStored'>): Changes {
  return { calls: without(context.calls, event.step), ...appended(context, event) };
}

/** Replaces the body of an entry; the entry keeps its position. */
export function stepEdited(
  { entries }: RunContext,
  { place, bytes, offset }: Recorded<'StepEdited'>,
): Changes {
  const edited = entries.toArray().map((entry, index) => {
    return index === place ? { ...entry, offset, bytes } : entry;
  });
  return { entries: EntryList.of(edited) };
}

/** A call is open until the endpoint submits its answer as a step. */
export function callRequested(
  { calls }: RunContext,
  { step, messageId }: Recorded<'CallRequested'>,
): Changes {
  return { calls: [...calls, { step, messageId }] };
}

/** A wait is open until its event comes, or it times out. */
export function waitOpened(
  { waits }: RunContext,
  { step, eventId, deadline, offset }: Recorded<'WaitOpened'>,
): Changes {
  return { waits: [...waits, { step, eventId, deadline, offset }] };
}

/** The wait becomes an entry; the stored event that it took is no longer kept. */
export function waitEnded(context: RunContext, event: Recorded<'WaitEnded'>): Changes {
  const { waits, notifications } = context;
  return {
    waits: without(waits, event.step),
    notifications: taken(notifications, event.notificationOffset),
    ...appended(context, event),
  };
}

/** An event that came before any wait for it is kept for the wait that will take it. */
export function notificationStored(
  { notifications }: RunContext,
  { eventId, bytes, isCall, offset }: Recorded<'NotificationStored'>,
): Changes {
  return {
    notifications: [...notifications, { eventId, offset, bytes, ...(isCall && { isCall }) }],
  };
}

/** An invocation is open until the child run ends. */
export function stepInvoked(
  { invocations }: RunContext,
  { step, runId, messageId }: Recorded<'StepInvoked'>,
): Changes {
  return { invocations: [...invocations, { step, runId, messageId }] };
}

/** The end of the child run becomes an entry. */
export function invocationEnded(context: RunContext, event: Recorded<'InvocationEnded'>): Changes {
  return { invocations: without(context.invocations, event.step), ...appended(context, event) };
}

function configured({ configuration, offset }: Recorded<'RunStarted' | 'RunReconfigured'>) {
  const { dialect, url, callerIp, terms, answerCheck, fetchesLazily } = configuration;
  return {
    dialect,
    url,
    callerIp,
    terms,
    answerCheck,
    fetchesLazily,
    configurationOffset: offset,
    failureCallbackOffset: offset,
  };
}

function appended(
  { entries }: RunContext,
  { messageId, step, bytes, offset }: RunEntry,
): Pick<RunContext, 'entries'> {
  return { entries: entries.append({ messageId, offset, step, bytes }) };
}

function without<Open extends { readonly step: StepInfo }>(
  open: readonly Open[],
  { id }: StepInfo,
): readonly Open[] {
  return open.length === 0 ? open : open.filter(({ step }) => step.id !== id);
}

function taken(
  notifications: readonly StoredNotification[],
  offset: number | null,
): readonly StoredNotification[] {
  return notifications.length === 0
    ? notifications
    : notifications.filter((stored) => stored.offset !== offset);
}
