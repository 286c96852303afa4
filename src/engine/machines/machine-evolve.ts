/**
 * An XState machine as `initialState`, `evolve`, `can` and `stored`: the only file that knows
 * XState's insides. XState reads the definition, and finds the states that follow when a transition
 * is first taken. They are the same each time, so that they are kept, and a later step only judges
 * guards and assigns the context: a few microseconds, where `transition()` takes 24 to 50. A live
 * `createActor` cannot roll back and turns a throwing `assign` into a status; here it throws into
 * the turn.
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

/** An event as a decision knows it, before the journal gives it a time and a place. */
type Undated<Event> = Event extends { readonly type: string }
  ? Omit<Event, 'at' | 'offset'> & { readonly type: string }
  : never;

/** A state as it is stored: where the machine is, and what it remembers. */
export type StoredMachine = readonly [value: unknown, context: object];

/** What a decider has of its machine. */
export interface MachineEvolve<Machine extends AnyStateMachine> {
  initialState(): SnapshotFrom<Machine>;
  /** The same reference exactly when the machine does not handle the event in this state. */
  evolve(state: SnapshotFrom<Machine>, event: EventFromLogic<Machine>): SnapshotFrom<Machine>;
  /** Whether the machine handles the event in this state: no guard looks at its time or place. */
  can(state: SnapshotFrom<Machine>, event: Undated<EventFromLogic<Machine>>): boolean;
  isFinal(state: SnapshotFrom<Machine>): boolean;
  readonly stored: StoredForm<SnapshotFrom<Machine>, StoredMachine>;
}

/** Turns a context that is not made of plain values into one that is, and back. */
export interface ContextCodec<Context, Plain> {
  toPlain(context: Context): Plain;
  fromPlain(plain: Plain): Context;
}

/** What the steps of a machine need of it; XState's own types hide what its states are made of. */
interface XStateMachine {
  readonly root: MachineNode;
  readonly implementations: { readonly guards: Readonly<Record<string, unknown>> };
  getInitialSnapshot(scope: object): MachineState;
  transition(state: MachineState, event: unknown, scope: object): MachineState;
  getTransitionData(state: MachineState, event: unknown): readonly Transition[];
  resolveState(config: { readonly value: unknown; readonly context: object }): MachineState;
}

/** As `MachineEvolve`, of any machine. */
interface AnyEvolve {
  initialState(): MachineState;
  evolve(state: MachineState, event: Named): MachineState;
  can(state: MachineState, event: Named): boolean;
  isFinal(state: MachineState): boolean;
  readonly stored: StoredForm<MachineState, StoredMachine>;
}

/** `machine` must have static context; its XState events are the domain events of the journal. */
export function machineEvolve<Machine extends AnyStateMachine, Plain = unknown>(
  machine: Machine,
  codec?: ContextCodec<ContextFrom<Machine>, Plain>,
): MachineEvolve<Machine> {
  // What XState derives of a machine is only known of one machine: inside, the types are those of
  // any, which are exchanged here and nowhere else.
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

/**
 * A scope in which nothing can happen: whatever a machine would send, defer or spawn is a defect.
 */
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
