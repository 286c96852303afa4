/**
 * The decider of workflow runs: what each command means, and the effects that an active run wants.
 */
import { accept, type Decider, type Decision, type Effect } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import {
  configuredRunTerm,
  invokerOf,
  offsetsNamedBy,
  runTerms,
} from '../run-state/recorded-events.js';
import type {
  EditStep,
  EndInvocation,
  InvokeRun,
  RequestCall,
  RunCommand,
  StartReceipt,
  StartRun,
  StepReceipt,
  SubmitStep,
} from '../run-state/run.commands.js';
import { type RunEvent, runKind } from '../run-state/run.events.js';
import {
  canHappen,
  evolveRun,
  initialRun,
  isActive,
  isFinalRun,
  type RunState,
  storedRun,
} from '../run-state/run.machine.js';
import { liftReconfiguredToVersion2 } from '../run-state/run.upcasters.js';
import { overflow, overflowOfOpen, repeatOf } from './history-bounds.policy.js';
import type { KnownRun } from './known-runs.projection.js';
import { endOfRun } from './run-end.policy.js';
import { reactToRun } from './run-reactions.policy.js';
import type { RunView } from './run-view.js';
import { endWait, openWait, storeNotification } from './run-waits.policy.js';

/** Ends a wait that has timed out. */
export interface EndWaitEffect extends Effect {
  readonly kind: 'endWait';
  readonly stepId: number;
  readonly waitOffset: number;
}

function decide(command: RunCommand, state: RunState, view: RunView): Decision<RunEvent> {
  if (command.type === 'StartRun') return start(command, state, view);
  if (!isActive(state)) return whenOver(command);
  switch (command.type) {
    case 'SubmitStep':
      return submit(command, state);
    case 'EditStep':
      return edit(command, state);
    case 'RequestCall':
      return requestCall(command, state);
    case 'OpenWait':
      return openWait(command, state.context);
    case 'EndWait':
      return endWait(command, state.context, view);
    case 'StoreNotification':
      return storeNotification(command, state.context);
    case 'InvokeRun':
      return invokeRun(command, state, view);
    case 'EndInvocation':
      return endInvocation(command, state);
    case 'ChangeInvoker':
      return accept([{ type: 'InvokerChanged', invoker: command.invoker }]);
    default:
      return endOfRun(command, state, view);
  }
}

/**
 * Decides a command for a run that has ended. Commands that report an end change nothing; a step is
 * refused as `invalid`, the refusal that SDKs understand.
 */
function whenOver({ type, id }: Exclude<RunCommand, StartRun>): Decision<RunEvent> {
  switch (type) {
    case 'EndRun':
    case 'FailRun':
    case 'SettleRun':
    case 'EndInvocation':
      return accept([]);
    case 'CancelRun':
    case 'StoreNotification':
    case 'ChangeInvoker':
      return new Refusal('not_found', `workflow run ${id} not found`);
    case 'EndWait':
      return new Refusal('conflict', `workflow run ${id} has ended`);
    default:
      return new Refusal('invalid', `workflow run ${id} is not active`);
  }
}

function start(command: StartRun, state: RunState, view: RunView): Decision<RunEvent> {
  const { id, at, configuration, messageId, payload, payloadOffset, invoker, inherited } = command;
  const first = view.known(id, at);
  // An invoked run is known from the invocation on, so its own start finds itself.
  const isInvoked = invoker !== null && first?.messageId === messageId;
  if (first !== undefined && !isInvoked) {
    // A revived run reuses another run's payload, which the existing run would not have.
    if (payloadOffset !== null) {
      return new Refusal('conflict', `workflow run ${id} has been started before`);
    }
    return takeOver(command, first, state, view);
  }
  // A slow endpoint must not restart a run that has ended and been forgotten.
  if (command.isTakeover) return new Refusal('invalid', `workflow run ${id} is not active`);
  const receipt: StartReceipt = { messageId, createdAt: at, deduplicated: false };
  const payloadBytes = payload.length;
  return accept(
    [
      {
        type: 'RunStarted',
        configuration,
        messageId,
        payloadBytes,
        payloadOffset,
        invoker,
        inherited,
      },
    ],
    receipt,
    payloadOffset === null && payloadBytes > 0 ? payload : null,
  );
}

/**
 * The takeover answers the delivery that caused it, which is not repeated. An endpoint that
 * received two deliveries takes over twice: the machine decides whether a takeover is still
 * possible.
 */
function takeOver(
  { id, configuration, messageId, isTakeover }: StartRun,
  first: KnownRun,
  state: RunState,
  view: RunView,
): Decision<RunEvent> {
  const deliveries = view.pending(id).filter(({ role }) => role === 'step');
  const completed = deliveries.map((message) => message.messageId);
  const taken: RunEvent = { type: 'RunReconfigured', configuration, messageId, completed };
  if (!isTakeover || !canHappen(state, taken)) {
    return accept<RunEvent>([], { deduplicated: true, ...first });
  }
  const receipt: StartReceipt = { deduplicated: false, ...first, messageId };
  return accept([taken], receipt);
}

function submit(command: SubmitStep, state: RunState): Decision<RunEvent> {
  const { step, messageId, body, failureCallback } = command;
  // The calls are left out: the endpoint submits the result of a call as the same step.
  const repeated = repeatOf(step, state.context, []) ?? overflow(state.context, body.length);
  if (repeated !== null) return repeated;
  const stored: RunEvent = { type: 'StepStored', step, messageId, bytes: body.length };
  const receipt: StepReceipt = { messageId };
  if (failureCallback === null) return accept([stored], receipt, body);
  const named: RunEvent = { type: 'FailureCallbackNamed', callback: failureCallback };
  // The body belongs to the first event, so the step must come first.
  return accept(canHappen(state, named) ? [stored, named] : [stored], receipt, body);
}

function edit({ step, place, body }: EditStep, state: RunState): Decision<RunEvent> {
  const edited: RunEvent = { type: 'StepEdited', step, place, bytes: body.length };
  if (canHappen(state, edited)) return accept([edited], null, body);
  return new Refusal('conflict', `entry ${place} is not the result of step ${step.id}`);
}

function requestCall(command: RequestCall, state: RunState): Decision<RunEvent> {
  const { step, messageId } = command;
  const repeated =
    repeatOf(step, state.context, state.context.calls) ?? overflowOfOpen(state.context);
  if (repeated !== null) return repeated;
  const receipt: StepReceipt = { messageId };
  return accept([{ type: 'CallRequested', step, messageId }], receipt);
}

function invokeRun(command: InvokeRun, state: RunState, view: RunView): Decision<RunEvent> {
  const { step, child, id, at } = command;
  const repeated =
    repeatOf(step, state.context, state.context.calls) ?? overflowOfOpen(state.context);
  if (repeated !== null) return repeated;
  // A takeover starts no run, so the step would wait forever.
  if (child.isTakeover) {
    return new Refusal('unprocessable', 'a run is either invoked or taken over');
  }
  if (child.id === id || view.known(child.id, at) !== undefined) {
    return new Refusal('conflict', `workflow run ${child.id} has been started before`);
  }
  const { messageId } = child;
  const invoked: RunEvent = {
    type: 'StepInvoked',
    step,
    runId: child.id,
    url: child.configuration.url,
    messageId,
  };
  return accept([invoked], { messageId } satisfies StepReceipt);
}

function endInvocation(command: EndInvocation, state: RunState): Decision<RunEvent> {
  const { step, runId, messageId, outcome, endOffset, bytes } = command;
  const ended: RunEvent = {
    type: 'InvocationEnded',
    step,
    runId,
    messageId,
    outcome,
    endOffset,
    bytes,
  };
  return accept(canHappen(state, ended) ? [ended] : []);
}

function wants({ context }: RunState): readonly EndWaitEffect[] {
  return context.waits.map(({ step, deadline, offset }) => ({
    kind: 'endWait',
    id: `wait ${offset}`,
    notBefore: deadline,
    stepId: step.id,
    waitOffset: offset,
  }));
}

function terms(event: RunEvent, { id }: RunCommand, { context }: RunState): readonly string[] {
  return 'configuration' in event
    ? [...runTerms(id, event.configuration), configuredRunTerm]
    : runTerms(id, context);
}

/**
 * A submission that repeats an earlier one is accepted without an event, so that an endpoint may
 * send it again. For a run that has ended, the end is accepted again, and a step is refused with
 * the status that SDKs understand (400).
 */
export const runDecider: Decider<RunState, RunCommand, RunEvent, RunView> = {
  kind: runKind,
  events: {
    RunStarted: [],
    RunReconfigured: [liftReconfiguredToVersion2],
    FailureCallbackNamed: [],
    StepStored: [],
    StepEdited: [],
    CallRequested: [],
    WaitOpened: [],
    WaitEnded: [],
    NotificationStored: [],
    StepInvoked: [],
    InvocationEnded: [],
    InvokerChanged: [],
    RunSucceeded: [],
    RunFailed: [],
    RunCanceled: [],
  },
  initialState: initialRun,
  decide,
  evolve: evolveRun,
  handles: canHappen,
  react: reactToRun,
  wants,
  isFinal: isFinalRun,
  terms,
  stored: storedRun,
  restsIdle: true,
  references: offsetsNamedBy,
  keptWith: invokerOf,
};
