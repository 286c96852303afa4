/**
 * What a durable machine may consist of. A restored machine runs no `entry`, `exit`, `after` or
 * `invoke`, so only `on`, `always`, guards, `assign` and tags are allowed.
 */

/** The parts of an XState snapshot that the steps of a machine use. */
export interface MachineState {
  readonly context: object;
  /** The nodes that the machine is in; states that differ only in context share one list. */
  readonly _nodes: readonly MachineNode[];
  readonly status: string;
  readonly value: unknown;
}

/** The input of an assignment. */
export interface AssignerInput {
  readonly context: object;
  readonly event: unknown;
}

type Assigner = (input: AssignerInput) => object;

/** A transition as parsed by XState. */
export interface Transition {
  readonly target?: readonly unknown[];
  readonly guard?: unknown;
  readonly actions: readonly {
    readonly type: string;
    readonly assignment: Assigner | Readonly<Record<string, unknown>>;
  }[];
}

/** A guard of a machine; for a transition without an event, it judges the context alone. */
export type Guard = (input: { readonly context: object; readonly event: unknown }) => boolean;

/** A state of a machine as parsed by XState; `states` are its nested states. */
export interface MachineNode {
  readonly id: string;
  readonly type: string;
  readonly states: Readonly<Record<string, MachineNode>>;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly invoke: readonly unknown[];
  readonly after: readonly unknown[];
  /** By event type. */
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly always?: readonly Transition[];
}

/**
 * The types of a machine's context and events: XState takes types from values, and reads no fields
 * of this one.
 */
export function machineTypes<Context, Event>(): { context: Context; events: Event } {
  return {} as { context: Context; events: Event };
}

/** A node and all nodes within it. */
function* nodesOf<Node extends { readonly states: Readonly<Record<string, Node>> }>(
  node: Node,
): Generator<Node> {
  yield node;
  for (const child of Object.values(node.states)) yield* nodesOf(child);
}

/** Throws if a machine contains something that a restored machine would not do. */
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

/** The guards of all transitions without an event, which a state takes by itself. */
export function alwaysGuards(
  root: MachineNode,
  named: Readonly<Record<string, unknown>>,
): readonly Guard[] {
  const transitions = [...nodesOf(root)].flatMap(({ always = [] }) => always);
  return [...new Set(transitions.flatMap(({ guard }) => guardOf(guard, named) ?? []))];
}

/** The guard of a transition, by name or as a function; null = it has none. */
export function guardOf(guard: unknown, named: Readonly<Record<string, unknown>>): Guard | null {
  if (guard === undefined) return null;
  const judge = typeof guard === 'string' ? named[guard] : guard;
  // XState's own combined guards are not plain functions of context and event.
  if (typeof judge !== 'function' || 'check' in judge) throw new Error('a guard is a function');
  // XState calls the guards of a machine with its context and the event.
  return judge as Guard;
}
