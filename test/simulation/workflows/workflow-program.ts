/**
 * Random workflow functions: programs of steps, as data that the payload of their run carries, and
 * what the protocol says that they cost.
 */
import type { SeededRandom } from '../seeded-random.js';

export type Step = { readonly name: string } & (
  | { readonly type: 'Run' | 'Call' }
  | { readonly type: 'SleepFor'; readonly ms: number }
  | { readonly type: 'Wait'; readonly eventId: string; readonly timeoutMs: number }
  | { readonly type: 'Notify'; readonly eventId: string }
  | { readonly type: 'Invoke'; readonly child: Program }
);

/** Groups of steps, one after the other; the steps of one group run in parallel. */
export interface Program {
  readonly groups: readonly (readonly Step[])[];
  /** What the function does in the end: `refuse` is an error that no retry mends. */
  readonly ending: 'return' | 'cancel' | 'throw' | 'refuse';
  /** Its endpoint says itself how it wants to be called (workflows.md 1.3). */
  readonly takesOver: boolean;
}

export const events = ['paid', 'shipped', 'seen', 'returned'];
const depthMax = 3;
const second = 1000;

/** `depth` runs above it wait for its end. */
export function randomProgram(random: SeededRandom, depth = 0): Program {
  const favourite = random.pick(events);
  if (depth === 0 && random.chance(0.15)) return listening(random, favourite);
  const groups = Array.from({ length: random.below(6 - depth) + (depth === 0 ? 1 : 0) }, () => {
    const size = random.chance(0.4) ? 2 + random.below(4) : 1;
    return Array.from({ length: size }, () => randomStep(random, depth, favourite));
  });
  const ending = random.chance(0.8)
    ? 'return'
    : random.pick(['cancel', 'throw', 'refuse'] as const);
  return { groups, ending, takesOver: random.chance(0.1) };
}

/** Sleeps, and waits for one event twice: what comes early is for the first wait alone. */
function listening(random: SeededRandom, eventId: string): Program {
  const name = () => `step ${random.below(1_000_000)}`;
  const wait = (): Step => ({ type: 'Wait', name: name(), eventId, timeoutMs: 20 * second });
  const sleep: Step = { type: 'SleepFor', name: name(), ms: 40 * second };
  const groups = random.chance(0.5) ? [[sleep], [wait()], [wait()]] : [[sleep], [wait(), wait()]];
  return { groups, ending: 'return', takesOver: false };
}

function randomStep(random: SeededRandom, depth: number, favourite: string): Step {
  // A retry that runs another program than its run did would be noticed by the names.
  const name = `step ${random.below(1_000_000)}`;
  const kinds = ['Run', 'Run', 'Run', 'SleepFor', 'Call', 'Wait', 'Notify', 'Invoke'] as const;
  const type = random.pick(kinds);
  switch (type) {
    case 'SleepFor':
      return { type, name, ms: random.pick([0, 3 * second, 40 * second]) };
    case 'Wait':
      return {
        type,
        name,
        eventId: random.chance(0.6) ? favourite : random.pick([...events, 'never sent']),
        timeoutMs: random.pick([2, 20, 600]) * second,
      };
    case 'Notify':
      return { type, name, eventId: random.pick(events) };
    case 'Invoke':
      if (depth === depthMax) return { type: 'Run', name };
      return { type, name, child: randomProgram(random, depth + 1) };
    default:
      return { type, name };
  }
}

/** The events that it waits for, once for each wait. */
export function awaitedBy({ groups }: Program): readonly string[] {
  return groups.flat().flatMap((step) => (step.type === 'Wait' ? [step.eventId] : []));
}

/** Every step with the number that it has in its run, and how many run beside it. */
export function numbered({ groups }: Program) {
  let before = 0;
  return groups.flatMap((group) => {
    const first = before + 1;
    before += group.length;
    return group.map((step, index) => ({
      step,
      number: first + index,
      concurrent: group.length,
    }));
  });
}

/** How often an endpoint is called that never fails (workflows.md 3.2). */
export function deliveriesOf({ groups, takesOver }: Program): number {
  const steps = groups.flat();
  const plans = groups.filter(({ length }) => length > 1).flat();
  const answers = steps.filter(({ type }) => type === 'Call');
  return 1 + (takesOver ? 1 : 0) + plans.length + steps.length + answers.length;
}
