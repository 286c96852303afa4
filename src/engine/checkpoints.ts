/** Makes checkpoints of the streams of one kind, and restores what they hold (ADR 36). */
import type { Checkpointed, Decider } from './decider.js';
import type { Fold, FoldMemory, RememberedMap } from './registration.js';
import type { Actor } from './resting/actor-form.js';
import { type StoredForm, storedForm } from './resting/stored-form.js';
import type { TurnChanges } from './turn-changes.js';

/**
 * One per kind of entity, made by its `ActorDirectory`. Restored entries are part of the changes of
 * the turn, so that a failed turn leaves no trace of them.
 */
export class Checkpoints<State> {
  private readonly form: StoredForm<State>;

  /** `folds` are the indexes over the kind's events; a checkpoint is due every `every` events. */
  constructor(
    private readonly decider: Pick<
      Decider<State, never, never>,
      'stored' | 'checkpoints' | 'isFinal'
    >,
    private readonly folds: readonly Fold[],
    private readonly every: number,
  ) {
    this.form = storedForm(decider.stored);
  }

  /** Whether a stream gets a checkpoint now. */
  isDue({ state, length }: Actor<State>): boolean {
    return length % this.every === 0 && !this.decider.isFinal(state);
  }

  /** The present state of a stream as an event; `began` is the offset of its first event. */
  of(id: string, state: State, began: number): Checkpointed {
    const entries = [...this.maps()].flatMap(([{ name }, map, entriesOfMap]) => {
      const value = entriesOfMap.get(id);
      return value === undefined ? [] : [{ index: name, map, value }];
    });
    return { type: 'Checkpointed', began, state: this.form.toStored(state), entries };
  }

  /** The state that a checkpoint holds. */
  stateIn({ state }: Checkpointed): State {
    return this.form.fromStored(state);
  }

  /** Journal offsets that a checkpoint names. */
  referencesOf(checkpoint: Checkpointed): readonly number[] {
    return this.decider.checkpoints?.references(this.stateIn(checkpoint)) ?? [];
  }

  /** Makes indexes remember of the stream what the checkpoint says, whatever they folded before. */
  restoreEntries(id: string, { entries }: Checkpointed, changes: TurnChanges): void {
    for (const [{ name }, map, entriesOfMap] of this.maps()) {
      const entry = entries.find(({ index, map: own }) => index === name && own === map);
      if (entry !== undefined) changes.set(entriesOfMap, id, entry.value);
      else if (entriesOfMap.has(id)) changes.delete(entriesOfMap, id);
    }
  }

  /** The maps of the indexes over this kind that remember exactly what the events say. */
  private *maps(): Generator<readonly [FoldMemory, string, RememberedMap]> {
    for (const { memory } of this.folds) {
      if (memory === null || memory.mayHoldMore === true) continue;
      for (const [map, entries] of Object.entries(memory.maps)) {
        yield [memory, map, entries];
      }
    }
  }
}
