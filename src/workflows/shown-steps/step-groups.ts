/** The steps of a run in the order in which they began, and which of them run in parallel. Pure. */
import type { HistoryEntry, Opening, RunHistory } from '../history/run-history.js';
import type { StepInfo } from '../run-state/run.events.js';

/** An entry with its index in the list. */
export interface PlacedEntry {
  readonly entry: HistoryEntry;
  readonly place: number;
}

/** One step: its plan, its opening and its result, as far as it has progressed. */
export class RunStep {
  plan: PlacedEntry | null = null;
  opening: Opening | null = null;
  result: PlacedEntry | null = null;

  constructor(readonly info: StepInfo) {}
}

/** The steps that one delivery began. */
export class StepGroup {
  readonly steps: RunStep[] = [];

  /**
   * `head` is the index of the entry whose delivery began the steps; -1 = the run's start began
   * them.
   */
  constructor(
    readonly type: 'sequential' | 'parallel',
    readonly head: number,
  ) {}

  /** Whether all expected steps exist and have a result. */
  get isComplete(): boolean {
    const expected = this.type === 'parallel' ? (this.steps[0]?.info.concurrent ?? 1) : 1;
    return this.steps.length >= expected && this.steps.every(({ result }) => result !== null);
  }
}

/** The groups of a run's steps, oldest first. */
export function stepGroups({ entries, openings }: RunHistory): readonly StepGroup[] {
  const groups = new GrowingGroups();
  const placed = entries.map((entry, place) => ({ offset: entry.offset, entry, place }));
  const begun = openings.map((opening) => ({ offset: opening.offset, opening }));
  // The run's events in order; if an entry and an opening have the same offset, the entry comes
  // first.
  for (const event of [...placed, ...begun].sort((one, other) => one.offset - other.offset)) {
    if ('opening' in event) groups.open(event.opening);
    else if (event.entry.step.target === null) groups.end(event);
    else groups.plan(event, event.entry.step.target);
  }
  return groups.all;
}

class GrowingGroups {
  readonly all: StepGroup[] = [];
  private readonly steps = new Map<number, RunStep>();
  /** The index of the latest entry. */
  private last = -1;

  /** Adds a planned parallel step, which joins the steps that were planned with it. */
  plan(plan: PlacedEntry, target: number): void {
    const step = new RunStep({ ...plan.entry.step, id: target, target: null });
    step.plan = plan;
    const group = this.all.at(-1);
    const isOpen = group?.type === 'parallel' && group.steps.length < step.info.concurrent;
    if (isOpen) this.join(group, step);
    else this.begin('parallel', step);
    this.last = plan.place;
  }

  /** Adds a step that has begun and whose result comes later. */
  open(opening: Opening): void {
    const step =
      this.steps.get(opening.step.id) ?? this.begin('sequential', new RunStep(opening.step));
    step.opening = opening;
  }

  /**
   * Adds the result of a step; most steps have neither plan nor opening. The first entry is the
   * run's start.
   */
  end(result: PlacedEntry): void {
    const { step: info } = result.entry;
    const known = result.place > 0 ? this.steps.get(info.id) : undefined;
    const step = known ?? this.begin('sequential', new RunStep(info));
    step.result = result;
    this.last = result.place;
  }

  private begin(type: StepGroup['type'], step: RunStep): RunStep {
    const group = new StepGroup(type, this.last);
    this.all.push(group);
    return this.join(group, step);
  }

  private join(group: StepGroup, step: RunStep): RunStep {
    group.steps.push(step);
    this.steps.set(step.info.id, step);
    return step;
  }
}
