/** A small kind of entity whose events refer to others, to try sweeps on. */
import { accept, type Command, type Decider } from '../../src/engine/decider.js';

/** A note refers to others, is over when it is crossed out, and may take another one back. */
export interface Noted {
  readonly type: 'Noted' | 'CrossedOut';
  readonly about: readonly number[];
}
export interface Note extends Command {
  readonly type: 'Note' | 'CrossOut';
  readonly about: readonly number[];
}

export const noteDecider: Decider<boolean, Note, Noted> = {
  kind: 'note',
  events: { Noted: [], CrossedOut: [] },
  initialState: () => false,
  decide: ({ type, about }) =>
    accept([{ type: type === 'Note' ? 'Noted' : 'CrossedOut', about: [...about] }]),
  evolve: (_state, { type }) => type === 'Noted',
  wants: () => [],
  isFinal: (exists) => !exists,
  references: ({ about }) => about,
  keptWith: (id) => {
    const [, other = ''] = id.split('-');
    if (other === '') return null;
    return Number.isNaN(Number(other)) ? { kind: 'note', id: other } : { offset: Number(other) };
  },
};
