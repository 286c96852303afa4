/**
 * Which states of a machine follow which, learned from XState: a transition that was taken once
 * leads from the same states to the same ones ever after, as long as the guards that no event asks
 * answer the same.
 */
import type { AssignerInput, ContextGuard, MachineState, Transition } from './durable-machine.js';

/** The states of one machine without their contexts, and which follows which. */
export class FollowingStates {
  private readonly bares = new Map<string, MachineState>();
  /** By the nodes before a transition, by the transition: what follows, by the guards' answers. */
  private readonly known = new WeakMap<object, Map<Transition, MachineState[]>>();

  /** `whole` is the step as XState takes it; `guards` decide where a state goes on by itself. */
  constructor(
    private readonly whole: (state: MachineState, event: unknown) => MachineState,
    private readonly guards: readonly ContextGuard[],
  ) {}

  /** The state after `transitions`, which XState has selected. */
  step(state: MachineState, transitions: readonly Transition[], event: unknown): MachineState {
    const [transition, ...others] = transitions;
    // Regions that move at once are rare: XState says whether they may.
    if (transition === undefined || others.length > 0) return this.whole(state, event);
    const context = assigned(state.context, transition, event);
    const answers = this.answersOf(context);
    const states = this.statesAfter(state, transition);
    const bare = states[answers] ?? this.bare(this.whole(state, event));
    states[answers] = bare;
    return { ...bare, context };
  }

  /** The state without its context, as all entities share it. */
  bare(state: MachineState): MachineState {
    const key = `${state.status} ${JSON.stringify(state.value)}`;
    const known = this.bares.get(key);
    if (known !== undefined) return known;
    const bare = { ...state, context: noContext };
    this.bares.set(key, bare);
    return bare;
  }

  private statesAfter({ _nodes: nodes }: MachineState, transition: Transition): MachineState[] {
    const known = this.known.get(nodes) ?? new Map<Transition, MachineState[]>();
    if (known.size === 0) this.known.set(nodes, known);
    const states = known.get(transition) ?? [];
    if (states.length === 0) known.set(transition, states);
    return states;
  }

  /** One bit for each guard of a transition that no event asks for. */
  private answersOf(context: object): number {
    let answers = 0;
    for (const [place, guard] of this.guards.entries()) {
      if (guard({ context })) answers += 2 ** place;
    }
    return answers;
  }
}

const noContext = {};

/** A transition that leads nowhere and does nothing forbids its event. */
export function isHandling({ target, actions }: Transition): boolean {
  return target !== undefined || actions.length > 0;
}

function assigned(before: object, { actions }: Transition, event: unknown): object {
  let context = before;
  for (const { assignment } of actions) {
    const args = { context, event };
    const update = typeof assignment === 'function' ? assignment(args) : fields(assignment, args);
    context = { ...context, ...(update as object) };
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
