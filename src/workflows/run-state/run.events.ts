/** The events of a workflow run, as the journal stores them. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { DialectName } from '../../http/dialect.js';
import type {
  CallbackOptions,
  FlowControlOptions,
} from '../../messaging/messages/message.events.js';

/** The stream kind of runs; a run's id is chosen by its starter, or is `wfr_...`. */
export const runKind = 'run';

/** How the messages of a run are delivered, unless a step sets its own options. */
export interface RunTerms {
  readonly maxRetries: number;
  readonly retryDelay: string | null;
  readonly timeoutMs: number | null;
  readonly flowControl: FlowControlOptions | null;
  readonly labels: readonly string[];
  readonly redaction: Redaction | null;
  /** Called when the run has failed, with the `failureHeaders` of the configuration. */
  readonly failureCallback: Omit<CallbackOptions, 'headers'> | null;
}

/**
 * What a 2xx answer of the endpoint must carry to count (workflows.md 2.2): nothing, the protocol's
 * version, or also the name of an SDK of major version 1 or later.
 */
export type AnswerCheck = 'none' | 'protocol' | 'sdk';

/** What a run is started with (workflows.md 1.5). */
export interface RunConfiguration {
  readonly dialect: DialectName;
  /** The workflow's endpoint. */
  readonly url: string;
  readonly callerIp: string;
  readonly terms: RunTerms;
  /** The starter's headers for every delivery to the endpoint, alternating names and values. */
  readonly headers: readonly string[];
  /** Headers of the failure callback, alternating names and values. */
  readonly failureHeaders: readonly string[];
  readonly answerCheck: AnswerCheck;
  /** Whether the endpoint fetches a large list itself instead of receiving it. */
  readonly fetchesLazily: boolean;
  /** Whether the failure callback carries the initial payload instead of all entries. */
  readonly reportsInitialBody: boolean;
}

/** A step as its submission names it. */
export interface StepInfo {
  /** 0 for the plan of a parallel step. */
  readonly id: number;
  readonly name: string;
  /** `Initial`, `Run`, `Call`, `SleepFor`, `Wait`, ... as the SDK spells it. */
  readonly type: string;
  /** How many steps run in parallel, including this one. */
  readonly concurrent: number;
  /** For a plan, the id of the step that it plans; null = not a plan. */
  readonly target: number | null;
}

/** The run, and its step, that waits for the end of another run. */
export interface Invoker {
  readonly runId: string;
  readonly url: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly step: StepInfo;
}

/** An element of a run's list; the event at `offset` holds its content. */
export interface RunEntry {
  readonly messageId: string;
  /** Journal offset of the event with its body: `RunStarted`, `StepStored`, `StepEdited`, ... */
  readonly offset: number;
  readonly step: StepInfo;
  /** Bytes of the entry's body. */
  readonly bytes: number;
}

/** A call to a third party that is in progress, or whose answer is being delivered. */
export interface OpenCall {
  readonly step: StepInfo;
  /** The message to the third party. */
  readonly messageId: string;
}

/** A wait that has not ended. */
export interface OpenWait {
  readonly step: StepInfo;
  readonly eventId: string;
  /** Unix milliseconds. */
  readonly deadline: number;
  /** Journal offset of its `WaitOpened`. */
  readonly offset: number;
}

/** An event that came before the wait for it (workflows.md 3.4, look-back). */
export interface StoredNotification {
  readonly eventId: string;
  /** Journal offset of its `NotificationStored`. */
  readonly offset: number;
  readonly bytes: number;
  /** See `NotificationStored`. */
  readonly isCall?: true;
}

/** A child run that has not ended. */
export interface OpenInvocation {
  readonly step: StepInfo;
  readonly runId: string;
  /** Id of the first message of the child run. */
  readonly messageId: string;
}

/** What a resumed run takes over from the failed run, by reference: nothing is stored again. */
export interface Inheritance {
  readonly runId: string;
  readonly entries: readonly RunEntry[];
  /** The open calls that still have something to deliver. */
  readonly calls: readonly OpenCall[];
  readonly waits: readonly OpenWait[];
  readonly notifications: readonly StoredNotification[];
  readonly invocations: readonly OpenInvocation[];
  /** Runs that announced the webhooks among the entries: their calls now go to this run. */
  readonly announcers?: readonly string[];
}

/** A run started. Its payload is stored with this event, unless another event stores it. */
export interface RunStarted extends DomainEvent {
  readonly type: 'RunStarted';
  readonly configuration: RunConfiguration;
  /** Id of the initial delivery; the initial entry of a resumed run keeps the inherited id. */
  readonly messageId: string;
  readonly payloadBytes: number;
  /** Offset of the `RunStarted` that stores the payload; null = this event stores it. */
  readonly payloadOffset: number | null;
  readonly invoker: Invoker | null;
  /** null = the run was not resumed from another. */
  readonly inherited: Inheritance | null;
}

/** The endpoint took the run over and set its own configuration (workflows.md 1.3). */
export interface RunReconfigured extends DomainEvent {
  readonly type: 'RunReconfigured';
  readonly configuration: RunConfiguration;
  /** The initial entry is delivered again, as this message. */
  readonly messageId: string;
  /** Earlier messages that deliver this entry; the takeover counts as the answer to them. */
  readonly completed: readonly string[];
}

/** A step named the failure callback of the run; older clients do not name it at the start. */
export interface FailureCallbackNamed extends DomainEvent {
  readonly type: 'FailureCallbackNamed';
  readonly callback: CallbackOptions;
}

/** A result or a plan was submitted; its JSON is stored with the event, unchanged. */
export interface StepStored extends DomainEvent {
  readonly type: 'StepStored';
  readonly step: StepInfo;
  readonly messageId: string;
  readonly bytes: number;
}

/**
 * The result of a step was replaced when its run was resumed. The step with the new result is
 * stored with the event, as it is delivered from now on.
 */
export interface StepEdited extends DomainEvent {
  readonly type: 'StepEdited';
  readonly step: StepInfo;
  /** Index of the step's entry in the list; the entry keeps its message id. */
  readonly place: number;
  readonly bytes: number;
}

/** A third party is called; its answer will be delivered to the endpoint. */
export interface CallRequested extends DomainEvent {
  readonly type: 'CallRequested';
  readonly step: StepInfo;
  /** The message to the third party. */
  readonly messageId: string;
}

/** The run waits for an event. */
export interface WaitOpened extends DomainEvent {
  readonly type: 'WaitOpened';
  readonly step: StepInfo;
  readonly eventId: string;
  /** As the step spells it, for example `7d`. */
  readonly timeout: string;
  /** Unix milliseconds. */
  readonly deadline: number;
}

/** The event came, or the wait timed out. */
export interface WaitEnded extends DomainEvent {
  readonly type: 'WaitEnded';
  readonly step: StepInfo;
  readonly eventId: string;
  /** Id of the wait's entry and of the message that delivers it. */
  readonly messageId: string;
  readonly isTimeout: boolean;
  /** Id of the notification; many waits can share it. */
  readonly notificationId: string | null;
  /** Offset where the notification's bytes are stored; null = with this event, if any. */
  readonly notificationOffset: number | null;
  readonly bytes: number;
}

/** An event came that the run may wait for later; its bytes are stored with this event. */
export interface NotificationStored extends DomainEvent {
  readonly type: 'NotificationStored';
  readonly eventId: string;
  readonly bytes: number;
  /**
   * A webhook call, which only a wait for a call can take. Absent = an event of the application, or
   * a call stored by an earlier version: any wait for the event can take it.
   */
  readonly isCall?: true;
}

/** The run started another one and waits for its end. */
export interface StepInvoked extends DomainEvent {
  readonly type: 'StepInvoked';
  readonly step: StepInfo;
  readonly runId: string;
  readonly url: string;
  /** Id of the first message of the child run. */
  readonly messageId: string;
}

/** A run that this run had started has ended. */
export interface InvocationEnded extends DomainEvent {
  readonly type: 'InvocationEnded';
  readonly step: StepInfo;
  readonly runId: string;
  /** Id of the invocation's entry and of the message that delivers it. */
  readonly messageId: string;
  readonly outcome: 'succeeded' | 'failed' | 'canceled';
  /** Journal offset of the child's last event, which stores what the child returned. */
  readonly endOffset: number;
  readonly bytes: number;
}

/** Another run now waits for this run's end: the invoker failed and was resumed. */
export interface InvokerChanged extends DomainEvent {
  readonly type: 'InvokerChanged';
  readonly invoker: Invoker;
}

/** The workflow function returned; the returned value is stored with the event. */
export interface RunSucceeded extends DomainEvent {
  readonly type: 'RunSucceeded';
  /** Messages whose delivery this end answers. */
  readonly completed: readonly string[];
  /** Messages that are no longer needed. */
  readonly canceled: readonly string[];
}

/** A message of the run failed for good, or nothing can ever happen to the run again. */
export interface RunFailed extends DomainEvent {
  readonly type: 'RunFailed';
  readonly cause: 'exhausted' | 'non_retryable' | 'stalled';
  /** The message that made the run fail. */
  readonly messageId: string;
  /** Journal offset of that message's `MessagePublished`, and of the event that ended it. */
  readonly publishedOffset: number;
  readonly attemptOffset: number;
  /** Messages no longer needed, and where they were published: a resume repeats them. */
  readonly canceled: readonly string[];
  readonly canceledOffsets: readonly number[];
}

/** A client canceled the run. */
export interface RunCanceled extends DomainEvent {
  readonly type: 'RunCanceled';
  readonly canceled: readonly string[];
}

/** An event that ends a run. */
export type RunEnd = RunSucceeded | RunFailed | RunCanceled;

/** All events of a run's stream. */
export type RunEvent =
  | RunStarted
  | RunReconfigured
  | FailureCallbackNamed
  | StepStored
  | StepEdited
  | CallRequested
  | WaitOpened
  | WaitEnded
  | NotificationStored
  | StepInvoked
  | InvocationEnded
  | InvokerChanged
  | RunEnd;
