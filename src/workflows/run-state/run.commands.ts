/** The commands of workflow runs; `id` is the id of the run. */
import type { Command } from '../../engine/decider.js';
import type { CallbackOptions, MessagePublished } from '../../messaging/messages/message.events.js';
import type {
  Inheritance,
  InvocationEnded,
  Invoker,
  RunConfiguration,
  RunFailed,
  RunTerms,
  StepInfo,
} from './run.events.js';

type Message = Omit<MessagePublished, 'type'>;

/** Options that a step sets itself; null = the run's option applies. */
export interface StepOptions extends Nullable<Omit<RunTerms, 'failureCallback'>> {
  /** Headers that override the run's headers of the same name; alternating names and values. */
  readonly headers: readonly string[];
}

type Nullable<T> = { readonly [Field in keyof T]: T[Field] | null };

/**
 * Start a run. If the run has started already, nothing happens, and the receipt names the first
 * start. A start that would reuse another run's payload (`payloadOffset`) is refused as a
 * `conflict` if the id is known.
 */
export interface StartRun extends Command<StartReceipt> {
  readonly type: 'StartRun';
  readonly configuration: RunConfiguration;
  /** Id of the initial delivery. */
  readonly messageId: string;
  readonly payload: Buffer;
  /** Journal offset of the `RunStarted` whose payload this run shares; null = its own payload. */
  readonly payloadOffset: number | null;
  /** Earliest initial delivery, Unix milliseconds. */
  readonly notBefore: number;
  /** Whether the endpoint takes over a run that another client started, and sets its options. */
  readonly isTakeover: boolean;
  readonly invoker: Invoker | null;
  readonly inherited: Inheritance | null;
  /**
   * What a resumed run delivers instead of its initial entry: messages of the failed run, with this
   * run's place filled in. Their bodies are stored at their `bodyOffset`, or are composed.
   */
  readonly repeated: readonly { readonly messageId: string; readonly message: Message }[];
  /**
   * Commands that follow the start of a resumed run: they replace results, make the active runs
   * that the failed run invoked report their ends to this run, and add the ends of the other
   * invoked runs as entries at once.
   */
  readonly handedOver: readonly (EditStep | ChangeInvoker | EndInvocation)[];
}

/** Replace the result of a step that a resumed run inherited. */
export interface EditStep extends Command {
  readonly type: 'EditStep';
  readonly step: StepInfo;
  /** Index of the step's entry in the list. */
  readonly place: number;
  /** The step with its new result, as it will be delivered. */
  readonly body: Buffer;
  /** The message that delivers the entry again; null = the entry was delivered already. */
  readonly repeated: StartRun['repeated'][number] | null;
}

/** The result of an accepted `StartRun`. */
export interface StartReceipt {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Whether the run was known already, so that nothing was started. */
  readonly deduplicated: boolean;
}

/** Store a result or a plan, and deliver the list up to it. */
export interface SubmitStep extends Command<StepReceipt> {
  readonly type: 'SubmitStep';
  readonly step: StepInfo;
  readonly messageId: string;
  readonly body: Buffer;
  /** Earliest delivery, Unix milliseconds: a sleep ends then. */
  readonly notBefore: number;
  readonly options: StepOptions;
  /** The callback that the step names for a failure of the run; null = none. */
  readonly failureCallback: CallbackOptions | null;
}

/** Call a third party, and deliver its answer to the endpoint. */
export interface RequestCall extends Command<StepReceipt> {
  readonly type: 'RequestCall';
  readonly step: StepInfo;
  readonly messageId: string;
  /** The call. Options of its callback that `callback` does not set are filled in from the run. */
  readonly message: Message;
  readonly body: Buffer;
  /** Options for delivering the answer, which override those of the run. */
  readonly callback: StepOptions;
}

/** Wait for an event, or take a stored one that came before. */
export interface OpenWaitForEvent extends Command<StepReceipt> {
  readonly type: 'OpenWait';
  readonly step: StepInfo;
  readonly eventId: string;
  readonly timeout: string;
  /** Unix milliseconds. */
  readonly deadline: number;
  /** The message id for the end of the wait, if it ends at once. */
  readonly messageId: string;
}

/**
 * The result of an accepted step: the message that delivers it, or that delivered it the first
 * time.
 */
export interface StepReceipt {
  /** null = no message delivers the step yet. */
  readonly messageId: string | null;
}

/** The awaited event came, or the wait timed out. */
export interface EndWait extends Command<StepReceipt> {
  readonly type: 'EndWait';
  readonly stepId: number;
  /** Journal offset of the `WaitOpened` of the wait to end. */
  readonly waitOffset: number;
  readonly messageId: string;
  /** null = the wait timed out. */
  readonly notification: Notification | null;
}

/** An event that was sent by a client; many waits can share it. */
export interface Notification {
  readonly id: string;
  readonly body: Buffer;
  /** Journal offset where the body is already stored; null or absent = not known. */
  readonly offset?: number | null;
}

/** An event came for this run before a wait for it: keep it for a later wait. */
export interface StoreNotification extends Command {
  readonly type: 'StoreNotification';
  readonly eventId: string;
  readonly body: Buffer;
  /** Whether it is a webhook call, made by an unauthenticated third party. */
  readonly isCall: boolean;
}

/** Start another run and wait for its end. */
export interface InvokeRun extends Command<StepReceipt> {
  readonly type: 'InvokeRun';
  readonly step: StepInfo;
  /** The start of the other run; its `invoker` is filled in. */
  readonly child: Omit<StartRun, 'invoker'>;
}

/** A run that this one started has ended. */
export interface EndInvocation extends Command {
  readonly type: 'EndInvocation';
  readonly step: StepInfo;
  readonly runId: string;
  readonly messageId: string;
  readonly outcome: InvocationEnded['outcome'];
  readonly endOffset: number;
  readonly bytes: number;
}

/** From now on, report the end of this run to another run. */
export interface ChangeInvoker extends Command {
  readonly type: 'ChangeInvoker';
  readonly invoker: Invoker;
}

/** The workflow function returned. */
export interface EndRun extends Command {
  readonly type: 'EndRun';
  readonly response: Buffer;
}

/** Cancel the run. */
export interface CancelRun extends Command {
  readonly type: 'CancelRun';
}

/** One of the run's messages failed for good. */
export interface FailRun extends Command {
  readonly type: 'FailRun';
  readonly cause: Exclude<RunFailed['cause'], 'stalled'>;
  readonly messageId: string;
  readonly publishedOffset: number;
  readonly attemptOffset: number;
}

/** One of the run's messages is done: check whether anything can still happen to the run. */
export interface SettleRun extends Command {
  readonly type: 'SettleRun';
  readonly messageId: string;
  readonly publishedOffset: number;
  /** Journal offset of the event that ended the message; null = the message was canceled. */
  readonly attemptOffset: number | null;
}

/** All commands of a run: from endpoints, clients, effects, messages of the run, and other runs. */
export type RunCommand =
  | StartRun
  | SubmitStep
  | EditStep
  | RequestCall
  | OpenWaitForEvent
  | EndWait
  | StoreNotification
  | InvokeRun
  | EndInvocation
  | ChangeInvoker
  | EndRun
  | CancelRun
  | FailRun
  | SettleRun;
