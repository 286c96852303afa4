/** What holds for every machine whose idle states are packed: the packing changes nothing. */
import type { StatePacking } from '../../src/engine/decider.js';

interface PackedMachine<State, Event, Packed> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  readonly packing: StatePacking<State, Packed>;
}

/** Expects that packing before each event of a history changes nothing; gives the last state. */
export function expectSameWhenPacked<State, Event, Packed>(
  { initialState, evolve, packing }: PackedMachine<State, Event, Packed>,
  shown: (state: State) => string,
  history: readonly Event[],
): State {
  let kept = initialState();
  let woken = initialState();
  for (const event of history) {
    kept = evolve(kept, event);
    woken = evolve(packing.unpack(packing.pack(woken)), event);
  }
  expect(shown(woken)).toBe(shown(kept));
  return kept;
}
