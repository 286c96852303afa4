/** What can have happened to a workflow run: the vocabulary of the journal. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { DialectName } from '../../http/dialect.js';
import type {
  CallbackOptions,
  FlowControlOptions,
} from '../../messaging/messages/message.events.js';

/** The stream kind of runs; a run's id is as its starter named it, or `wfr_...`. */
export const runKind = 'run';

/** How the messages of a run are delivered, where a step does not say itself. */
export interface RunTerms {
  readonly maxRetries: number;
  readonly retryDelay: string | null;
  readonly timeoutMs: number | null;
  readonly flowControl: FlowControlOptions | null;
  readonly labels: readonly string[];
  readonly redaction: Redaction | null;
  /** Called when the run has failed, with the `failureHeaders` of its configuration. */
  readonly failureCallback: Omit<CallbackOptions, 'headers'> | null;
}

/**
 * What a 2xx answer of the endpoint must carry to count (workflows.md 2.2): nothing, the
 * protocol's version, or the name of an SDK of major version 1 or later too.
 */
export type AnswerCheck = 'none' | 'protocol' | 'sdk';

/** What a run is started with (workflows.md 1.5). */
export interface RunConfiguration {
  readonly dialect: DialectName;
  /** The workflow's endpoint. */
  readonly url: string;
  readonly callerIp: string;
  readonly terms: RunTerms;
  /** Headers of its starter that every delivery to the endpoint carries, names and values. */
  readonly headers: readonly string[];
  /** Headers of the failure callback, names and values in turn. */
  readonly failureHeaders: readonly string[];
  readonly answerCheck: AnswerCheck;
  /** Large prefixes may be left for the endpoint to fetch. */
  readonly fetchesLazily: boolean;
  /** A failure callback brings the initial payload instead of the whole list of entries. */
  readonly reportsInitialBody: boolean;
}

/** A step as its submission names it. */
export interface StepInfo {
  /** 0 for the plan of a parallel step. */
  readonly id: number;
  readonly name: string;
  /** `Initial`, `Run`, `Call`, `SleepFor`, `Wait`, ... as the SDK spells it. */
  readonly type: string;
  /** How many steps run in parallel with it, itself included. */
  readonly concurrent: number;
  /** Of a plan, the step that it plans; null = this is no plan. */
  readonly target: number | null;
}

/** The run, and the step in it, that waits for another run's end. */
export interface Invoker {
  readonly runId: string;
  readonly url: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly step: StepInfo;
}

/** An element of a run's list: the run's event at `offset` says what it holds. */
export interface RunEntry {
  readonly messageId: string;
  /** Journal offset of what brought it: `RunStarted`, `StepStored`, `StepEdited`, ... */
  readonly offset: number;
  readonly step: StepInfo;
  /** Of its body. */
  readonly bytes: number;
}

/** A third party that is being called, or whose answer is being delivered. */
export interface OpenCall {
  readonly step: StepInfo;
  /** The message to the third party. */
  readonly messageId: string;
}

/** A wait that nothing has ended yet. */
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
  /** As `NotificationStored` says it. */
  readonly isCall?: true;
}

/** A child run that has not ended. */
export interface OpenInvocation {
  readonly step: StepInfo;
  readonly runId: string;
  /** Of the child's first message. */
  readonly messageId: string;
}

/** What a resumed run takes over from the failed one, by reference: it is not stored again. */
export interface Inheritance {
  readonly runId: string;
  readonly entries: readonly RunEntry[];
  /** Those of which something is still to be delivered. */
  readonly calls: readonly OpenCall[];
  readonly waits: readonly OpenWait[];
  readonly notifications: readonly StoredNotification[];
  readonly invocations: readonly OpenInvocation[];
  /** Runs whose steps announced the webhooks among the entries: calls are now this run's. */
  readonly announcers?: readonly string[];
}

/** A run began. Its payload stands beside the event, unless another event has brought it. */
export interface RunStarted extends DomainEvent {
  readonly type: 'RunStarted';
  readonly configuration: RunConfiguration;
  /** Of the initial delivery; a resumed run's initial entry has the id that is inherited. */
  readonly messageId: string;
  readonly payloadBytes: number;
  /** The `RunStarted` whose payload is this run's too; null = it stands beside this event. */
  readonly payloadOffset: number | null;
  readonly invoker: Invoker | null;
  /** null = it begins at the beginning. */
  readonly inherited: Inheritance | null;
}

/** Its endpoint took it over and named its own configuration (workflows.md 1.3). */
export interface RunReconfigured extends DomainEvent {
  readonly type: 'RunReconfigured';
  readonly configuration: RunConfiguration;
  /** The initial entry is delivered again, as this message. */
  readonly messageId: string;
  /** Earlier messages that deliver it: this is the answer to them. */
  readonly completed: readonly string[];
}

/** A step named the failure callback of the run: older clients name it no earlier. */
export interface FailureCallbackNamed extends DomainEvent {
  readonly type: 'FailureCallbackNamed';
  readonly callback: CallbackOptions;
}

/** A result or a plan came in; its JSON stands beside the event, untouched. */
export interface StepStored extends DomainEvent {
  readonly type: 'StepStored';
  readonly step: StepInfo;
  readonly messageId: string;
  readonly bytes: number;
}

/**
 * The result of a step was replaced when its run was resumed; the step with it stands beside the
 * event, as it is delivered from now on.
 */
export interface StepEdited extends DomainEvent {
  readonly type: 'StepEdited';
  readonly step: StepInfo;
  /** Of its entry in the list; its message stays what it was. */
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
  /** As the step spells it: `7d`. */
  readonly timeout: string;
  /** Unix milliseconds. */
  readonly deadline: number;
}

/** The event came, or the time was over. */
export interface WaitEnded extends DomainEvent {
  readonly type: 'WaitEnded';
  readonly step: StepInfo;
  readonly eventId: string;
  /** The wait's entry and the message that delivers it. */
  readonly messageId: string;
  readonly isTimeout: boolean;
  /** What was notified with; many waits share it. */
  readonly notificationId: string | null;
  /** Where the notified bytes stand; null = beside this event, if there are any. */
  readonly notificationOffset: number | null;
  readonly bytes: number;
}

/** An event came that the run may wait for later; its bytes stand beside. */
export interface NotificationStored extends DomainEvent {
  readonly type: 'NotificationStored';
  readonly eventId: string;
  readonly bytes: number;
  /**
   * A call of a webhook, which only a wait for a call may take. Absent = an event of the
   * application, or a call that an earlier version has stored: any wait for it takes it.
   */
  readonly isCall?: true;
}

/** The run started another one and waits for its end. */
export interface StepInvoked extends DomainEvent {
  readonly type: 'StepInvoked';
  readonly step: StepInfo;
  readonly runId: string;
  readonly url: string;
  /** Of the child's first message. */
  readonly messageId: string;
}

/** A run that this one started has ended. */
export interface InvocationEnded extends DomainEvent {
  readonly type: 'InvocationEnded';
  readonly step: StepInfo;
  readonly runId: string;
  /** The invocation's entry and the message that delivers it. */
  readonly messageId: string;
  readonly outcome: 'succeeded' | 'failed' | 'canceled';
  /** Journal offset of the child's last event; what it returned stands beside that. */
  readonly endOffset: number;
  readonly bytes: number;
}

/** Another run waits for its end now: its invoker failed and was resumed. */
export interface InvokerChanged extends DomainEvent {
  readonly type: 'InvokerChanged';
  readonly invoker: Invoker;
}

/** The workflow function returned; what it returned stands beside the event. */
export interface RunSucceeded extends DomainEvent {
  readonly type: 'RunSucceeded';
  /** Messages whose delivery this end is the answer to. */
  readonly completed: readonly string[];
  /** Messages that mean nothing any more. */
  readonly canceled: readonly string[];
}

/** A message of the run failed for good, or nothing can ever come any more. */
export interface RunFailed extends DomainEvent {
  readonly type: 'RunFailed';
  readonly cause: 'exhausted' | 'non_retryable' | 'stalled';
  /** The message that it failed with. */
  readonly messageId: string;
  /** Journal offset of that message's `MessagePublished`, and of the event that ended it. */
  readonly publishedOffset: number;
  readonly attemptOffset: number;
  /** Messages that mean nothing any more, and where they were published: a resume repeats them. */
  readonly canceled: readonly string[];
  readonly canceledOffsets: readonly number[];
}

/** A client canceled it. */
export interface RunCanceled extends DomainEvent {
  readonly type: 'RunCanceled';
  readonly canceled: readonly string[];
}

/** The last event of a run, whichever it is. */
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
