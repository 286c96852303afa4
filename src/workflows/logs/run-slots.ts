/** The steps of a run in the order in which they began, and which of them run in parallel. Pure. */

import type { HistoryEntry, Opening, RunHistory } from '../history/run-history.js';
import type { StepInfo } from '../run-state/run.events.js';

/** An entry at its place in the list. */
export interface Placed {
  readonly entry: HistoryEntry;
  readonly index: number;
}

/** One step: what planned it, what began it and what it resulted in, as far as it has come. */
export interface Slot {
  readonly step: StepInfo;
  readonly plan: Placed | null;
  readonly opening: Opening | null;
  readonly result: Placed | null;
}

export interface SlotGroup {
  readonly type: 'sequential' | 'parallel';
  /** The entry whose delivery began these steps, by its place; -1 = the run's start did. */
  readonly head: number;
  readonly slots: readonly Slot[];
}

type Growing<Value> = { -readonly [Field in keyof Value]: Value[Field] };
type GrowingSlot = Growing<Slot>;
type GrowingGroup = Omit<SlotGroup, 'slots'> & { readonly slots: GrowingSlot[] };

const empty = { plan: null, opening: null, result: null };

/** Whether all steps of a group have a result. */
export function isComplete({ slots, type }: SlotGroup): boolean {
  const [first] = slots;
  const expected = type === 'parallel' ? (first?.step.concurrent ?? 1) : 1;
  return slots.length >= expected && slots.every(({ result }) => result !== null);
}

/** The groups of a run's steps, oldest first. */
export function slotGroups({ entries, openings }: RunHistory): readonly SlotGroup[] {
  const groups: GrowingGroup[] = [];
  const slots = new Map<number, GrowingSlot>();
  const begin = (type: SlotGroup['type'], head: number, slot: GrowingSlot) => {
    groups.push({ type, head, slots: [slot] });
    slots.set(slot.step.id, slot);
  };
  const addEntry = (placed: Placed) => {
    const { entry, index } = placed;
    const { step } = entry;
    const slot = slots.get(step.id);
    if (step.target !== null) addPlan(placed, step.target);
    else if (slot !== undefined && index > 0) slot.result = placed;
    else begin('sequential', index - 1, { ...empty, step, result: placed });
  };
  const addPlan = (plan: Placed, target: number) => {
    const step = { ...plan.entry.step, id: target, target: null };
    const slot = { ...empty, step, plan };
    const last = groups.at(-1);
    if (last?.type === 'parallel' && last.slots.length < step.concurrent) {
      last.slots.push(slot);
      slots.set(target, slot);
    } else begin('parallel', plan.index - 1, slot);
  };
  let index = 0;
  const addEntriesUntil = (offset: number) => {
    for (let entry = entries[index]; entry !== undefined; entry = entries[index]) {
      if (entry.offset > offset) return;
      addEntry({ entry, index });
      index += 1;
    }
  };
  for (const opening of openings) {
    addEntriesUntil(opening.offset);
    const { step } = opening;
    const slot = slots.get(step.id);
    if (slot !== undefined) slot.opening = opening;
    else begin('sequential', index - 1, { ...empty, step, opening });
  }
  addEntriesUntil(Number.POSITIVE_INFINITY);
  return groups;
}
