/**
 * An XState machine as `initialState`, `evolve`, `can` and `stored`: the only file that knows
 * XState's insides. XState reads the definition, and finds the states that follow when a transition
 * is first taken. They are the same each time, so that they are kept, and a later step only judges
 * guards and assigns the context: a few microseconds, where `transition()` takes 24 to 50. A live
 * `createActor` cannot roll back and turns a throwing `assign` into a status; here it throws into
 * the turn.
 */
import type {
  AnyActorScope,
  AnyStateMachine,
  ContextFrom,
  EventFromLogic,
  Snapshot,
  SnapshotFrom,
} from 'xstate';
import type { StoredForm } from '../resting/stored-form.js';
import {
  alwaysGuards,
  type MachineNode,
  type MachineState,
  requireDurable,
  type Transition,
} from './durable-machine.js';
import { FollowingStates, isHandling, Selection } from './following-states.js';

/** An event as a decision knows it, before the journal gives it a time and a place. */
type Undated<Event> = Event extends { readonly type: string }
  ? Omit<Event, 'at' | 'offset'> & { readonly type: string }
  : never;

/** A state as it is stored: where the machine is, and what it remembers. */
export type StoredMachine = readonly [value: unknown, context: unknown];

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

/** `machine` must have static context; its XState events are the domain events of the journal. */
export function machineEvolve<Machine extends AnyStateMachine, Plain = unknown>(
  machine: Machine,
  codec?: ContextCodec<ContextFrom<Machine>, Plain>,
): MachineEvolve<Machine> {
  type Kept = SnapshotFrom<Machine>;
  type Named = { readonly type: string };
  const root = machine.root as unknown as MachineNode;
  const named = machine.implementations.guards as Readonly<Record<string, unknown>>;
  requireDurable(root);
  const scope = inertScope();
  const initial = machine.getInitialSnapshot(scope, undefined) as Kept;
  const whole = (state: MachineState, event: unknown): MachineState => {
    const next: unknown = machine.transition(
      state as Kept,
      event as EventFromLogic<Machine>,
      scope,
    );
    return next as MachineState;
  };
  const following = new FollowingStates(whole, alwaysGuards(root, named));
  const selection = new Selection(named, (state, event) => {
    const taken: unknown = machine.getTransitionData(
      state as Kept,
      event as EventFromLogic<Machine>,
    );
    return (taken as readonly Transition[]).filter(isHandling);
  });
  const resolved = (value: unknown): MachineState => {
    const config = { value, context: {} } as Parameters<Machine['resolveState']>[0];
    const state: unknown = machine.resolveState(config);
    return state as MachineState;
  };
  return {
    initialState: () => initial,
    evolve(state, event) {
      const transitions = selection.of(state as MachineState, event);
      return transitions.length === 0
        ? state
        : (following.step(state as MachineState, transitions, event) as Kept);
    },
    can: (state, event: Named) => selection.of(state as MachineState, event).length > 0,
    isFinal: (state) => (state as Snapshot<unknown>).status === 'done',
    stored: {
      toStored(state) {
        const { value, context } = state as MachineState & { context: ContextFrom<Machine> };
        return [value, codec === undefined ? context : codec.toPlain(context)];
      },
      fromStored([value, plain]) {
        const context = codec === undefined ? plain : codec.fromPlain(plain as Plain);
        return { ...following.bareIn(value, resolved), context } as Kept;
      },
    },
  };
}

/**
 * A scope in which nothing can happen: whatever a machine would send, defer or spawn is a defect.
 */
function inertScope(): AnyActorScope {
  const refuse = (what: string) => () => {
    throw new Error(`a durable machine may not ${what}: effects are derived from its state`);
  };
  const self = { id: 'inert', sessionId: 'inert', send: refuse('send') };
  const scope = {
    self,
    id: 'inert',
    sessionId: 'inert',
    logger: refuse('log'),
    defer: refuse('defer'),
    emit: refuse('emit'),
    stopChild: refuse('stop children'),
    actionExecutor: refuse('run actions'),
    system: { _sendInspectionEvent: () => {}, _relay: refuse('send'), _snapshot: {} },
  };
  return scope as unknown as AnyActorScope;
}
