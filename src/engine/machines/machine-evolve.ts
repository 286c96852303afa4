/**
 * An XState machine as `initialState`, `evolve`, `can` and `stored`: the only file that knows
 * XState's internals. XState reads the definition, and finds the next states when a transition is
 * first taken. They are the same each time, so they are kept, and a later step only evaluates
 * guards and assigns the context: a few microseconds, where `transition()` takes 24 to 50. A live
 * `createActor` cannot roll back and turns a throwing `assign` into a status; here the error is
 * thrown into the turn.
 */
import type { AnyStateMachine, ContextFrom, EventFromLogic, SnapshotFrom } from 'xstate';
import type { StoredForm } from '../resting/stored-form.js';
import {
  alwaysGuards,
  type MachineNode,
  type MachineState,
  requireDurable,
  type Transition,
} from './durable-machine.js';
import {
  FollowingStates,
  isHandling,
  MachineSteps,
  type Named,
  Selection,
} from './machine-steps.js';

/** An event as a decision has it, before the journal gives it a time and an offset. */
type Undated<Event> = Event extends { readonly type: string }
  ? Omit<Event, 'at' | 'offset'> & { readonly type: string }
  : never;

/** A stored state: the machine's state value, and its context. */
export type StoredMachine = readonly [value: unknown, context: object];

/** What a decider uses of its machine. */
export interface MachineEvolve<Machine extends AnyStateMachine> {
  initialState(): SnapshotFrom<Machine>;
  /** Returns the same reference exactly if the machine does not handle the event in this state. */
  evolve(state: SnapshotFrom<Machine>, event: EventFromLogic<Machine>): SnapshotFrom<Machine>;
  /** Whether the machine handles the event in this state; guards ignore its time and offset. */
  can(state: SnapshotFrom<Machine>, event: Undated<EventFromLogic<Machine>>): boolean;
  isFinal(state: SnapshotFrom<Machine>): boolean;
  readonly stored: StoredForm<SnapshotFrom<Machine>, StoredMachine>;
}

/** Converts a context that has other than plain values to plain values and back. */
export interface ContextCodec<Context, Plain> {
  toPlain(context: Context): Plain;
  fromPlain(plain: Plain): Context;
}

/** What a machine's steps need of it; XState's own types hide the parts of its states. */
interface XStateMachine {
  readonly root: MachineNode;
  readonly implementations: { readonly guards: Readonly<Record<string, unknown>> };
  getInitialSnapshot(scope: object): MachineState;
  transition(state: MachineState, event: unknown, scope: object): MachineState;
  getTransitionData(state: MachineState, event: unknown): readonly Transition[];
  resolveState(config: { readonly value: unknown; readonly context: object }): MachineState;
}

/** Like `MachineEvolve`, for any machine. */
interface AnyEvolve {
  initialState(): MachineState;
  evolve(state: MachineState, event: Named): MachineState;
  can(state: MachineState, event: Named): boolean;
  isFinal(state: MachineState): boolean;
  readonly stored: StoredForm<MachineState, StoredMachine>;
}

/** `machine` must have a static context; its XState events are the domain events of the journal. */
export function machineEvolve<Machine extends AnyStateMachine, Plain = unknown>(
  machine: Machine,
  codec?: ContextCodec<ContextFrom<Machine>, Plain>,
): MachineEvolve<Machine> {
  // XState derives types only for one concrete machine. Inside, the types are those of any machine;
  // they are converted here and nowhere else.
  const inside = machine as unknown as XStateMachine;
  const evolve: unknown = evolveOf(inside, codec as ContextCodec<object, object> | undefined);
  return evolve as MachineEvolve<Machine>;
}

function evolveOf(machine: XStateMachine, codec?: ContextCodec<object, object>): AnyEvolve {
  const { root } = machine;
  const { guards } = machine.implementations;
  requireDurable(root);
  const scope = inertScope();
  const initial = machine.getInitialSnapshot(scope);
  const following = new FollowingStates(
    (state, event) => machine.transition(state, event, scope),
    alwaysGuards(root, guards),
  );
  const selection = new Selection(guards, (state, event) =>
    machine.getTransitionData(state, event).filter(isHandling),
  );
  const { evolve, can, isFinal } = new MachineSteps(selection, following);
  const resolved = (value: unknown) => machine.resolveState({ value, context: {} });
  return {
    initialState: () => initial,
    evolve,
    can,
    isFinal,
    stored: {
      toStored: ({ value, context }) => [
        value,
        codec === undefined ? context : codec.toPlain(context),
      ],
      fromStored([value, plain]) {
        const context = codec === undefined ? plain : codec.fromPlain(plain);
        return { ...following.bareIn(value, resolved), context };
      },
    },
  };
}

/** A scope in which nothing can happen: a machine must not send, defer or spawn anything. */
function inertScope(): object {
  const refuse = (what: string) => () => {
    throw new Error(`a durable machine may not ${what}: effects are derived from its state`);
  };
  return {
    self: { id: 'inert', sessionId: 'inert', send: refuse('send') },
    id: 'inert',
    sessionId: 'inert',
    logger: refuse('log'),
    defer: refuse('defer'),
    emit: refuse('emit'),
    stopChild: refuse('stop children'),
    actionExecutor: refuse('run actions'),
    system: { _sendInspectionEvent: () => {}, _relay: refuse('send'), _snapshot: {} },
  };
}
