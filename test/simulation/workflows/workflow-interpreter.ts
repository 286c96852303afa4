/**
 * A small SDK: what a program submits next when it is called with these entries
 * (workflows.md 1.1 and 3.2). It counts as the published client counts, which is why nothing may be
 * missing of a delivered list and nothing may be too much.
 */
import type { Program, Step } from './workflow-program.js';

/** An element of the list that an endpoint is called with. */
export interface DeliveredEntry {
  readonly messageId: string;
  /** Base64. */
  readonly body: string;
  readonly callType: string;
}

/** A step's JSON. */
export interface StepEntry {
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  readonly concurrent: number;
  /** Of a plan. */
  readonly targetStep?: number;
  readonly out?: string;
  readonly waitEventId?: string;
  readonly waitTimeout?: boolean;
}

/** What comes next. */
export type Move =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'plan'; readonly group: readonly Step[]; readonly first: number }
  | {
      readonly kind: 'execute';
      readonly step: Step;
      readonly number: number;
      readonly concurrent: number;
    }
  | { readonly kind: 'return'; readonly response: string }
  | { readonly kind: 'cancel' | 'throw' | 'refuse' };

const nothing: Move = { kind: 'nothing' };

/** The list as the endpoint understands it: the program, and its steps so far. */
export function understood(body: string): { program: Program; entries: readonly StepEntry[] } {
  const [initial, ...steps] = JSON.parse(body) as readonly DeliveredEntry[];
  if (initial === undefined) throw new Error('a run without entries');
  return { program: decoded(initial), entries: steps.map((step) => decoded<StepEntry>(step)) };
}

function decoded<Json = Program>({ body }: DeliveredEntry): Json {
  return JSON.parse(Buffer.from(body, 'base64').toString());
}

/** Throws where the entries are not those of the program. */
export function nextMove(program: Program, entries: readonly StepEntry[]): Move {
  if (isLastRepeated(entries)) return nothing;
  const steps = withoutRepeated(entries);
  const results = steps.filter(({ targetStep }) => targetStep === undefined);
  const outcomes: string[] = [];
  let [number, plans] = [1, 0];
  for (const group of program.groups) {
    const [step] = group;
    if (group.length === 1 && step !== undefined) {
      if (number > results.length) return { kind: 'execute', step, number, concurrent: 1 };
      outcomes.push(outcomeOf(step, steps[number - 1 + plans]));
      number += 1;
      continue;
    }
    const move = inParallel(group, number, plans, steps);
    if (move !== null) return move;
    const found = sorted(steps).filter(({ stepId }) => stepId >= number);
    outcomes.push(...group.map((parallel, index) => outcomeOf(parallel, found[index])));
    number += group.length;
    plans += group.length;
  }
  if (program.ending !== 'return') return { kind: program.ending };
  return { kind: 'return', response: JSON.stringify(outcomes) };
}

/** What a group of several steps does next; null = all its results are there. */
function inParallel(
  group: readonly Step[],
  first: number,
  plans: number,
  steps: readonly StepEntry[],
): Move | null {
  const remaining = steps.filter((step) => numberOf(step) >= first);
  const last = remaining.at(-1);
  if (last === undefined) return { kind: 'plan', group, first };
  const concurrent = sorted(steps)[first - 1 + plans]?.concurrent;
  if (concurrent !== group.length) {
    throw new Error(`${concurrent} steps run in parallel where ${group.length} should`);
  }
  if (remaining.length >= 2 * group.length) return null;
  if (last.targetStep === undefined) return nothing;
  const step = group[last.targetStep - first];
  if (step === undefined) throw new Error(`there is no plan of step ${last.targetStep}`);
  outcomeOf(step, last);
  return { kind: 'execute', step, number: last.targetStep, concurrent: group.length };
}

function outcomeOf({ name, type }: Step, entry: StepEntry | undefined): string {
  if (entry?.stepName !== name || entry.stepType !== type) {
    throw new Error(`${type} "${name}" is answered by ${JSON.stringify(entry)}`);
  }
  return entry.waitTimeout === true ? 'timeout' : (entry.out ?? 'nothing');
}

const numberOf = ({ stepId, targetStep }: StepEntry) => targetStep || stepId;

const sorted = (steps: readonly StepEntry[]) =>
  [...steps].sort((one, other) => numberOf(one) - numberOf(other));

const isSame = (one: StepEntry | undefined, other: StepEntry) =>
  one?.stepId === other.stepId && one.targetStep === other.targetStep;

function isLastRepeated(entries: readonly StepEntry[]): boolean {
  return entries.slice(0, -1).some((entry) => isSame(entries.at(-1), entry));
}

function withoutRepeated(entries: readonly StepEntry[]): readonly StepEntry[] {
  return entries.filter(
    (entry, index) => entries.findIndex((other) => isSame(other, entry)) === index,
  );
}
