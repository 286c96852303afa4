/** The commands of workflow runs; `id` is the run's. */
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

/** Options that a step brings itself; null = the run's hold. */
export interface StepOptions extends Nullable<Omit<RunTerms, 'failureCallback'>> {
  /** Headers that go before the run's of the same name, names and values in turn. */
  readonly headers: readonly string[];
}

type Nullable<T> = { readonly [Field in keyof T]: T[Field] | null };

/**
 * Begin; where the run has begun, nothing happens, and the receipt names its start. One that would
 * take over what another run has (`payloadOffset`) is refused as a `conflict` where the id is
 * known.
 */
export interface StartRun extends Command<StartReceipt> {
  readonly type: 'StartRun';
  readonly configuration: RunConfiguration;
  /** Of the initial delivery. */
  readonly messageId: string;
  readonly payload: Buffer;
  /** The `RunStarted` whose payload is this run's too. */
  readonly payloadOffset: number | null;
  /** Of the initial delivery, Unix milliseconds. */
  readonly notBefore: number;
  /** The endpoint itself gives the options of a run that another client started. */
  readonly isTakeover: boolean;
  readonly invoker: Invoker | null;
  readonly inherited: Inheritance | null;
  /**
   * What a resumed run delivers instead of its initial entry: messages of the run that failed, in
   * whose place its own is filled in. Bodies stand at their `bodyOffset`, or are composed.
   */
  readonly repeated: readonly { readonly messageId: string; readonly message: Message }[];
  /**
   * What follows from the start of a resumed run: results that are replaced; the ends of active
   * runs that the failed one invoked go to it from now on, and the ends of the others are its
   * entries at once.
   */
  readonly handedOver: readonly (EditStep | ChangeInvoker | EndInvocation)[];
}

/** Replace the result of a step that a resumed run has inherited. */
export interface EditStep extends Command {
  readonly type: 'EditStep';
  readonly step: StepInfo;
  /** Of its entry in the list. */
  readonly place: number;
  /** The step with its new result, as it is delivered. */
  readonly body: Buffer;
  /** What delivers the entry, where it is delivered anew; null = it was delivered. */
  readonly repeated: StartRun['repeated'][number] | null;
}

/** What the acceptance of `StartRun` answers. */
export interface StartReceipt {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** The run was known already: nothing was started. */
  readonly deduplicated: boolean;
}

/** Remember a result or a plan, and deliver what there is up to it. */
export interface SubmitStep extends Command<StepReceipt> {
  readonly type: 'SubmitStep';
  readonly step: StepInfo;
  readonly messageId: string;
  readonly body: Buffer;
  /** Of its delivery, Unix milliseconds: a sleep ends then. */
  readonly notBefore: number;
  readonly options: StepOptions;
  /** The callback that the step names for a failure of the run; null = it names none. */
  readonly failureCallback: CallbackOptions | null;
}

/** Call a third party, and deliver its answer to the endpoint. */
export interface RequestCall extends Command<StepReceipt> {
  readonly type: 'RequestCall';
  readonly step: StepInfo;
  readonly messageId: string;
  /** The call; its callback's options are filled in from the run where `callback` has none. */
  readonly message: Message;
  readonly body: Buffer;
  /** How the answer is to be delivered, beyond what the run says. */
  readonly callback: StepOptions;
}

/** Wait for an event, or take one that came before. */
export interface OpenWaitForEvent extends Command<StepReceipt> {
  readonly type: 'OpenWait';
  readonly step: StepInfo;
  readonly eventId: string;
  readonly timeout: string;
  /** Unix milliseconds. */
  readonly deadline: number;
  /** Of the wait's end, should it end at once. */
  readonly messageId: string;
}

/** What the acceptance of a step answers: the message that delivers it, or the first one's. */
export interface StepReceipt {
  /** null = nothing is delivered yet. */
  readonly messageId: string | null;
}

/** The awaited event came, or the wait timed out. */
export interface EndWait extends Command<StepReceipt> {
  readonly type: 'EndWait';
  readonly stepId: number;
  /** Of the `WaitOpened` that is meant. */
  readonly waitOffset: number;
  readonly messageId: string;
  /** null = the wait timed out. */
  readonly notification: Notification | null;
}

/** An event that was notified; many waits share one. */
export interface Notification {
  readonly id: string;
  readonly body: Buffer;
  /** Where the journal has its body already; null or absent = that is not known. */
  readonly offset?: number | null;
}

/** An event came for this run: keep it for the wait that will come. */
export interface StoreNotification extends Command {
  readonly type: 'StoreNotification';
  readonly eventId: string;
  readonly body: Buffer;
  /** It is a call of a webhook, by a third party that has shown no credentials. */
  readonly isCall: boolean;
}

/** Start another run and wait for its end. */
export interface InvokeRun extends Command<StepReceipt> {
  readonly type: 'InvokeRun';
  readonly step: StepInfo;
  /** Its `invoker` is filled in. */
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

/** The end of this run goes to another run from now on. */
export interface ChangeInvoker extends Command {
  readonly type: 'ChangeInvoker';
  readonly invoker: Invoker;
}

/** The workflow function returned. */
export interface EndRun extends Command {
  readonly type: 'EndRun';
  readonly response: Buffer;
}

/** Take the run back. */
export interface CancelRun extends Command {
  readonly type: 'CancelRun';
}

/** One of its messages failed for good. */
export interface FailRun extends Command {
  readonly type: 'FailRun';
  readonly cause: Exclude<RunFailed['cause'], 'stalled'>;
  readonly messageId: string;
  readonly publishedOffset: number;
  readonly attemptOffset: number;
}

/** One of its messages is done: see whether anything can still come. */
export interface SettleRun extends Command {
  readonly type: 'SettleRun';
  readonly messageId: string;
  readonly publishedOffset: number;
  /** Of the event that ended it; null = it was taken back. */
  readonly attemptOffset: number | null;
}

/** From endpoints, clients, effects, messages of the run, and other runs. */
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
