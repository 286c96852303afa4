/** A run as the fold of its events through its machine, and what deciders read of it. */
import { type ContextCodec, machineEvolve } from '../../engine/machines/machine-evolve.js';
import { EntryList } from './entry-list.js';
import type { RunContext } from './run.context.js';
import type { RunEntry, RunEvent } from './run.events.js';
import { type RunState, runMachine } from './run.machine.js';

export type { RunState } from './run.machine.js';

type PlainContext = Omit<RunContext, 'entries'> & { readonly entries: readonly RunEntry[] };

const codec: ContextCodec<RunContext, PlainContext> = {
  toPlain: (context) => ({ ...context, entries: context.entries.toArray() }),
  fromPlain: (plain) => ({ ...plain, entries: EntryList.of(plain.entries) }),
};

const machine = machineEvolve(runMachine, codec);

export const initialRun = machine.initialState;
export const isFinalRun = machine.isFinal;
export const runPacking = machine.packing;

/** Whether such an event can happen to the run now. */
export const canHappen = machine.can;

export function isActive(state: RunState): boolean {
  return state.hasTag('active');
}

export function evolveRun(
  state: RunState,
  event: RunEvent,
  { at, offset }: { readonly at: number; readonly offset: number },
): RunState {
  return machine.evolve(state, { ...event, at, offset });
}
