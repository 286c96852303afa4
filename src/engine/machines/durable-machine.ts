/**
 * What a durable machine is made of, and what it may not have: a restored machine runs no `entry`,
 * `exit`, `after` or `invoke`, so that only `on`, `always`, guards, `assign` and tags are left.
 */

/** What of an XState snapshot the steps of a machine are about. */
export interface MachineState {
  readonly context: object;
  /** The nodes that the machine is in; states that differ only in their contexts share one list. */
  readonly _nodes: readonly MachineNode[];
  readonly status: string;
  readonly value: unknown;
}

/** What an assignment is given. */
export interface AssignerInput {
  readonly context: object;
  readonly event: unknown;
}

type Assigner = (input: AssignerInput) => object;

/** A transition as XState has read it. */
export interface Transition {
  readonly target?: readonly unknown[];
  readonly guard?: unknown;
  readonly actions: readonly {
    readonly type: string;
    readonly assignment: Assigner | Readonly<Record<string, unknown>>;
  }[];
}

/** A guard as a machine has it: without an event it judges the context alone. */
export type Guard = (input: { readonly context: object; readonly event: unknown }) => boolean;

/** A state of a machine as XState has read it; `states` are those within it. */
export interface MachineNode {
  readonly id: string;
  readonly type: string;
  readonly states: Readonly<Record<string, MachineNode>>;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly invoke: readonly unknown[];
  readonly after: readonly unknown[];
  /** By the type of their event. */
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly always?: readonly Transition[];
}

/**
 * The types of a machine's context and of its events: XState takes them from values, and reads
 * none of these.
 */
export function machineTypes<Context, Event>(): { context: Context; events: Event } {
  return {} as { context: Context; events: Event };
}

/** A node and all those within it. */
function* nodesOf<Node extends { readonly states: Readonly<Record<string, Node>> }>(
  node: Node,
): Generator<Node> {
  yield node;
  for (const child of Object.values(node.states)) yield* nodesOf(child);
}

/** Throws where a machine has what a restored one would not do. */
export function requireDurable(root: MachineNode): void {
  for (const node of nodesOf(root)) {
    const { id, type, entry, exit, invoke, after, always = [] } = node;
    const acts = [...entry, ...exit, ...invoke, ...after].length > 0 || type === 'history';
    if ([...node.transitions.keys()].some((type) => type.includes('*'))) {
      throw new Error(`${id}: a durable machine names the events that it handles`);
    }
    if (acts) throw new Error(`${id}: a restored machine neither enters, leaves, waits nor calls`);
    for (const { actions } of [...node.transitions.values()].flat()) {
      if (actions.every(({ type: kind }) => kind === 'xstate.assign')) continue;
      throw new Error(`${id}: a durable machine only assigns`);
    }
    if (always.some(({ actions }) => actions.length > 0)) {
      throw new Error(`${id}: what happens without an event assigns nothing`);
    }
  }
}

/** The guards of all transitions without an event, by which a state goes on by itself. */
export function alwaysGuards(
  root: MachineNode,
  named: Readonly<Record<string, unknown>>,
): readonly Guard[] {
  const transitions = [...nodesOf(root)].flatMap(({ always = [] }) => always);
  return [...new Set(transitions.flatMap(({ guard }) => guardOf(guard, named) ?? []))];
}

/** The guard that a transition names, or has; null = it has none. */
export function guardOf(guard: unknown, named: Readonly<Record<string, unknown>>): Guard | null {
  if (guard === undefined) return null;
  const judge = typeof guard === 'string' ? named[guard] : guard;
  // XState's own combinations are no plain functions of context and event.
  if (typeof judge !== 'function' || 'check' in judge) throw new Error('a guard is a function');
  // XState calls the guards of a machine with its context and the event.
  return judge as Guard;
}
