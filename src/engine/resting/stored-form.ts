/**
 * How states become bytes and back. Equal histories make equal bytes, in every process: `evolve`
 * sets the same fields in the same order, and nothing outside of the bytes is needed to read them.
 */
import { Packr } from 'msgpackr';

/**
 * A state as plain values: null, booleans, numbers, texts, Buffers, and lists, Maps, Sets and
 * objects of these. Both directions are pure, and `fromStored` gives a state that is equal in
 * everything that a decider can ask.
 */
export interface StoredForm<State, Stored = unknown> {
  toStored(state: State): Stored;
  // A method, so that the engine, which does not know what `Stored` is, may hand it back.
  fromStored(stored: Stored): State;
}

/** The form of states: without one of their own, they are plain values, and stored as they are. */
export function storedForm<State>(own: StoredForm<State> | undefined): StoredForm<State> {
  return (
    own ?? {
      toStored: (state) => state,
      // What it has stored comes back: only here bytes become a type without being looked at.
      fromStored: (stored) => stored as State,
    }
  );
}

/** Every value brings the names of its own fields: bytes do not depend on what came before. */
const packr = new Packr({ moreTypes: true, copyBuffers: true });

/** A plain value as bytes of its own. */
export function bytesOf(value: unknown): Buffer {
  return packr.pack(value);
}

/** The value of such bytes; it holds no part of them. */
export function valueIn(bytes: Buffer): unknown {
  return packr.unpack(bytes);
}

/** The states of one kind as bytes; those of a state that many streams have are made once. */
export class StoredStates<State> {
  private latest: { readonly state: State; readonly bytes: Buffer } | null = null;

  constructor(private readonly form: StoredForm<State>) {}

  /** A state as it rests; the same bytes where the same state is asked for again. */
  bytesOf(state: State): Buffer {
    const { form, latest } = this;
    if (latest?.state === state) return latest.bytes;
    const bytes = bytesOf(form.toStored(state));
    this.latest = { state, bytes };
    return bytes;
  }

  /** The state of such bytes. */
  stateIn(bytes: Buffer): State {
    return this.form.fromStored(valueIn(bytes));
  }
}
