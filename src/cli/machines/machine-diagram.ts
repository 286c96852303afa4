/** Draws a state machine as a Mermaid diagram, from its definition. Pure. */

/** A transition as XState represents it; without a target, the state does not change. */
export interface DrawnTransition {
  readonly target?: readonly DrawnNode[] | undefined;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
}

/** A state as XState represents it; `states` are its nested states. */
export interface DrawnNode {
  readonly key: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly description?: string | undefined;
  readonly states: Readonly<Record<string, DrawnNode>>;
  readonly initial: { readonly target?: readonly DrawnNode[] | undefined };
  readonly transitions: ReadonlyMap<string, readonly DrawnTransition[]>;
  readonly always?: readonly DrawnTransition[] | undefined;
}

/** A machine with its name. */
export interface DrawnMachine {
  readonly id: string;
  readonly root: DrawnNode;
}

/** The diagram of a machine, as lines of Mermaid. */
export function diagramOf({ root }: DrawnMachine): string[] {
  const inherited = new Map(root.transitions);
  const body = Object.values(root.states).flatMap((node) => drawn(node, inherited));
  return ['stateDiagram-v2', ...begin(root), ...body].map((line, index) =>
    index === 0 ? line : `  ${line}`,
  );
}

/** `inherited`: events that the machine handles in every state that has no handler of its own. */
function drawn(node: DrawnNode, inherited: DrawnNode['transitions']): string[] {
  const id = idOf(node);
  const children = Object.values(node.states);
  const lines = children.length === 0 ? [`state "${node.key}" as ${id}`] : composite(node);
  const heard = node.type === 'final' ? [] : [...merged(inherited, node.transitions)];
  const stays: string[] = [];
  for (const [event, transitions] of heard) {
    for (const { target, guard, actions } of transitions) {
      const label = `${event}${shown(guard)}`;
      if (target !== undefined) lines.push(...target.map((to) => arrow(id, to, label)));
      else if (actions.length > 0) stays.push(label);
    }
  }
  for (const { target = [], guard } of node.always ?? []) {
    lines.push(...target.map((to) => arrow(id, to, shown(guard).trim())));
  }
  if (node.type === 'final' && node.path.length === 1) lines.push(`${id} --> [*]`);
  return [...lines, ...noteOf(id, node.description, stays)];
}

/** A state with nested states; those of a parallel state are drawn side by side. */
function composite(node: DrawnNode): string[] {
  const none: DrawnNode['transitions'] = new Map();
  const separator = node.type === 'parallel' ? ['--'] : [];
  const children = Object.values(node.states).flatMap((child, index) => [
    ...(index === 0 ? [] : separator),
    ...drawn(child, none),
  ]);
  const inside = [...begin(node), ...children].map((line) => `  ${line}`);
  return [`state "${node.key}" as ${idOf(node)} {`, ...inside, '}'];
}

function begin(node: DrawnNode): string[] {
  if (node.type === 'parallel') return [];
  return (node.initial.target ?? []).map((first) => `[*] --> ${idOf(first)}`);
}

function merged(
  inherited: DrawnNode['transitions'],
  own: DrawnNode['transitions'],
): DrawnNode['transitions'] {
  const others = [...inherited].filter(([event]) => !own.has(event));
  return new Map([...own, ...others]);
}

function noteOf(id: string, description: string | undefined, stays: readonly string[]): string[] {
  const lines = description === undefined ? [] : [description];
  if (stays.length > 0) lines.push('internal transitions:', ...stays);
  if (lines.length === 0) return [];
  return [`note right of ${id}`, ...lines.map((line) => `  ${line}`), 'end note'];
}

function arrow(from: string, to: DrawnNode, label: string): string {
  return `${from} --> ${idOf(to)} : ${label}`;
}

function shown(guard: unknown): string {
  return typeof guard === 'string' ? ` [${guard}]` : '';
}

function idOf({ path }: DrawnNode): string {
  return path.join('_');
}
