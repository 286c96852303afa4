/** What holds for the states of every machine: storing them changes nothing. */
import { bytesOf, type StoredForm, valueIn } from '../../src/engine/resting/stored-form.js';

interface StoredMachine<State, Event, Stored> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  readonly stored: StoredForm<State, Stored>;
}

/** Expects that storing it before each event of a history changes nothing; gives the last state. */
export function expectSameWhenStored<State, Event, Stored>(
  { initialState, evolve, stored }: StoredMachine<State, Event, Stored>,
  shown: (state: State) => string,
  history: readonly Event[],
): State {
  let kept = initialState();
  let woken = initialState();
  for (const event of history) {
    kept = evolve(kept, event);
    const bytes = bytesOf(stored.toStored(woken));
    woken = evolve(stored.fromStored(valueIn(bytes) as Stored), event);
    expect(bytesOf(stored.toStored(woken))).toEqual(bytesOf(stored.toStored(kept)));
  }
  expect(shown(woken)).toBe(shown(kept));
  return kept;
}
