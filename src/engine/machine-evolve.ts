/**
 * An XState machine as `initialState`, `evolve` and `packing`: the only file that knows XState's
 * insides. `transition()` builds an actor per call (24-50 us measured); the same machine stepped
 * with one inert scope takes 6-8 us and does the same, because our machines hold nothing but `on`,
 * `guard`, `assign` and `tags`. A live `createActor` cannot roll back and turns a throwing `assign`
 * into a status; here it throws into the turn.
 */
import { Packr } from 'msgpackr';
import type {
  AnyActorScope,
  AnyStateMachine,
  EventFromLogic,
  Snapshot,
  SnapshotFrom,
} from 'xstate';
import type { StatePacking } from './decider.js';

/** The three functions of a decider that a machine gives. */
export interface MachineEvolve<Machine extends AnyStateMachine> {
  initialState(): SnapshotFrom<Machine>;
  /** Same reference when the machine does not handle the event in this state. */
  evolve(state: SnapshotFrom<Machine>, event: EventFromLogic<Machine>): SnapshotFrom<Machine>;
  isFinal(state: SnapshotFrom<Machine>): boolean;
  readonly packing: StatePacking<SnapshotFrom<Machine>, Buffer>;
}

/** Plain maps: a packed state is bytes of its own and shares nothing. */
const packr = new Packr({ useRecords: false });

/** `machine` must have static context; its XState events are the domain events of the journal. */
export function machineEvolve<Machine extends AnyStateMachine>(
  machine: Machine,
): MachineEvolve<Machine> {
  const scope = inertScope();
  const initial = machine.getInitialSnapshot(scope, undefined) as SnapshotFrom<Machine>;
  return {
    initialState: () => initial,
    evolve: (state, event) => machine.transition(state, event, scope) as SnapshotFrom<Machine>,
    isFinal: (state) => (state as Snapshot<unknown>).status === 'done',
    packing: {
      pack: (state) => packr.pack(machine.getPersistedSnapshot(state)),
      unpack: (bytes) =>
        machine.restoreSnapshot(packr.unpack(bytes), scope) as SnapshotFrom<Machine>,
    },
  };
}

/**
 * A scope in which nothing can happen: whatever a machine would send, defer or spawn is a defect.
 */
function inertScope(): AnyActorScope {
  const refuse = (what: string) => () => {
    throw new Error(`a durable machine may not ${what}: wishes are derived from its state`);
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
