/**
 * A decider's history as a sentence: given these events, when this is asked, then that happens.
 * The decider runs alone; ids, offsets and times are counted from the given history.
 */
import type { Command, Decider, DomainEvent, Effect } from '../../src/engine/decider.js';

/** When the first given event happened; each later one is a second after it. */
export const epochMs = 1_767_000_000_000;

export function given<State, Cmd extends Command, Event extends DomainEvent, View>(
  decider: Decider<State, Cmd, Event, View>,
  view: View,
  ...history: readonly Event[]
) {
  const evolve = (state: State, event: Event, sequence: number) =>
    decider.evolve(state, event, {
      kind: decider.kind,
      id: 'it',
      sequence,
      at: epochMs + sequence * 1000,
      offset: sequence,
      previous: sequence - 1,
      by: null,
      event,
      body: null,
      byteLength: 0,
    });
  const state = history.reduce(evolve, decider.initialState());
  return {
    state,
    /** The effects that the state after the history wants. */
    wants: (): readonly Effect[] => decider.wants(state, 'it'),
    /** What the command decides: events and result, or its refusal. */
    when(command: Cmd) {
      const decision = decider.decide(command, state, view);
      if (!decision.ok) return { rejected: { code: decision.code, message: decision.message } };
      const after = decision.events.reduce(
        (before, event, index) => evolve(before, event, history.length + index),
        state,
      );
      return {
        events: decision.events,
        result: decision.value,
        state: after,
        wants: decider.wants(after, 'it'),
        isFinal: decider.isFinal(after),
      };
    },
  };
}
