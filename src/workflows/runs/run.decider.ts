/** What a command means for a workflow run, and what an active one wants. */
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

/** The end of a wait that has timed out. */
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

/** Its end changes nothing more; a step of it is refused as SDKs understand it: as invalid. */
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
  // A run that is invoked is known from then on, also to its own start.
  const isInvoked = invoker !== null && first?.messageId === messageId;
  if (first !== undefined && !isInvoked) {
    // A revived run takes another one's payload over; the run that exists would not have it.
    if (payloadOffset !== null) {
      return new Refusal('conflict', `workflow run ${id} has been started before`);
    }
    return takeOver(command, first, state, view);
  }
  // An endpoint that dawdles must not begin a run again that has ended and been forgotten.
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
 * The delivery that caused it needs no other answer, and is not made again. An endpoint that is
 * delivered to twice takes over twice: the machine says whether it may still be taken over.
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
  // A call ends as the result that the endpoint makes of its answer: that repeats nothing.
  const repeated = repeatOf(step, state.context, []) ?? overflow(state.context, body.length);
  if (repeated !== null) return repeated;
  const stored: RunEvent = { type: 'StepStored', step, messageId, bytes: body.length };
  const receipt: StepReceipt = { messageId };
  if (failureCallback === null) return accept([stored], receipt, body);
  const named: RunEvent = { type: 'FailureCallbackNamed', callback: failureCallback };
  // The first event brings the body, so that it is the step.
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
  // One that is taken over does not begin, and its step would wait for ever.
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
 * send it again. Of a run that is over its end is accepted, and a step refused as SDKs understand
 * it (400).
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
