/**
 * The steps of a machine, learned from XState: a transition taken once always leads from the same
 * states to the same states, as long as the guards of transitions without an event answer the same.
 */
import {
  type AssignerInput,
  type Guard,
  guardOf,
  type MachineState,
  type Transition,
} from './durable-machine.js';

/** A transition that an event may take if its guard allows it. */
interface Candidate {
  readonly alone: readonly [Transition];
  readonly guard: Guard | null;
}

/** An event that a machine may handle. */
export interface Named {
  readonly type: string;
}

/** What a machine does with an event. */
export class MachineSteps {
  constructor(
    private readonly selection: Selection,
    private readonly following: FollowingStates,
  ) {}

  /** Returns the same state exactly if the event is not handled in it. */
  readonly evolve = (state: MachineState, event: Named): MachineState => {
    const transitions = this.selection.of(state, event);
    return transitions.length === 0 ? state : this.following.step(state, transitions, event);
  };

  /** Whether an event is handled in a state. */
  readonly can = (state: MachineState, event: Named): boolean =>
    this.selection.of(state, event).length > 0;

  /** Whether no event is handled any more. */
  readonly isFinal = ({ status }: MachineState): boolean => status === 'done';
}

const none: readonly Transition[] = [];

/** Selects the transition that an event takes; if several nodes handle the event, XState does. */
export class Selection {
  private readonly known = new WeakMap<object, Map<string, readonly Candidate[] | null>>();

  constructor(
    private readonly named: Readonly<Record<string, unknown>>,
    private readonly selected: (state: MachineState, event: unknown) => readonly Transition[],
  ) {}

  /** Empty = the event is not handled in this state. */
  of(state: MachineState, event: Named): readonly Transition[] {
    const candidates = this.candidates(state, event.type);
    if (candidates === null) return this.selected(state, event);
    const { context } = state;
    for (const { alone, guard } of candidates) {
      if (guard === null || guard({ context, event })) return isHandling(alone[0]) ? alone : none;
    }
    return none;
  }

  private candidates({ _nodes: nodes }: MachineState, type: string): readonly Candidate[] | null {
    let byType = this.known.get(nodes);
    if (byType === undefined) {
      byType = new Map();
      this.known.set(nodes, byType);
    }
    let candidates = byType.get(type);
    if (candidates === undefined) {
      const heard = nodes.flatMap(({ transitions }) =>
        [transitions.get(type) ?? []].filter(hasAny),
      );
      candidates = heard.length > 1 ? null : (heard[0] ?? []).map((each) => this.candidate(each));
      byType.set(type, candidates);
    }
    return candidates;
  }

  private candidate(transition: Transition): Candidate {
    return { alone: [transition], guard: guardOf(transition.guard, this.named) };
  }
}

function hasAny({ length }: readonly Transition[]): boolean {
  return length > 0;
}

/** The states of one machine without their contexts, and which state follows which. */
export class FollowingStates {
  private readonly bares = new Map<string, MachineState>();
  /** By the nodes before a transition, then by the transition: next states, by guards' answers. */
  private readonly known = new WeakMap<object, Map<Transition, MachineState[]>>();

  /** `whole` is a step as XState takes it; `guards` are those of transitions without an event. */
  constructor(
    private readonly whole: (state: MachineState, event: unknown) => MachineState,
    private readonly guards: readonly Guard[],
  ) {}

  /** The state after `transitions`, which XState has selected. */
  step(state: MachineState, transitions: readonly Transition[], event: unknown): MachineState {
    const [transition, ...others] = transitions;
    // Regions that move together are rare: XState decides whether they may.
    if (transition === undefined || others.length > 0) return this.whole(state, event);
    const context = assigned(state.context, transition, event);
    const answers = this.answersOf(context);
    const states = this.statesAfter(state, transition);
    const bare = states[answers] ?? this.bare(this.whole(state, event));
    states[answers] = bare;
    return { ...bare, context };
  }

  /** The state without its context, shared by all entities. */
  bare(state: MachineState): MachineState {
    const key = keyOf(state.status, state.value);
    const known = this.bares.get(key);
    if (known !== undefined) return known;
    const bare = { ...state, context: noContext };
    this.bares.set(key, bare);
    return bare;
  }

  /** The state, without its context, of a machine restored to `value`; `resolve` creates it. */
  bareIn(value: unknown, resolve: (value: unknown) => MachineState): MachineState {
    return this.bares.get(keyOf('active', value)) ?? this.bare(resolve(value));
  }

  private statesAfter({ _nodes: nodes }: MachineState, transition: Transition): MachineState[] {
    const known = this.known.get(nodes) ?? new Map<Transition, MachineState[]>();
    if (known.size === 0) this.known.set(nodes, known);
    const states = known.get(transition) ?? [];
    if (states.length === 0) known.set(transition, states);
    return states;
  }

  /** One bit for each guard of a transition without an event. */
  private answersOf(context: object): number {
    let answers = 0;
    const asked = { context, event: null };
    for (let place = 0; place < this.guards.length; place += 1) {
      if (this.guards[place]?.(asked) === true) answers += 2 ** place;
    }
    return answers;
  }
}

const noContext = {};

function keyOf(status: string, value: unknown): string {
  return `${status} ${JSON.stringify(value)}`;
}

/** A transition without target and actions forbids its event. */
export function isHandling({ target, actions }: Transition): boolean {
  return target !== undefined || actions.length > 0;
}

function assigned(before: object, { actions }: Transition, event: unknown): object {
  let context = before;
  for (const { assignment } of actions) {
    const args = { context, event };
    const update = typeof assignment === 'function' ? assignment(args) : fields(assignment, args);
    context = { ...context, ...update };
  }
  return context;
}

function fields(assignment: Readonly<Record<string, unknown>>, args: AssignerInput) {
  const update: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(assignment)) {
    update[name] = typeof value === 'function' ? value(args) : value;
  }
  return update;
}
