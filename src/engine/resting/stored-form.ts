/**
 * How states become bytes and back. Equal histories make equal bytes, in every process: `evolve`
 * sets the same fields in the same order, and the bytes can be read without anything else.
 */
import { Packr } from 'msgpackr';

/**
 * A state as plain values: null, booleans, numbers, texts, Buffers, and lists, Maps, Sets and
 * objects of these. Both directions are pure, and `fromStored` returns a state that is equal in
 * everything that a decider can read.
 */
export interface StoredForm<State, Stored = unknown> {
  toStored(state: State): Stored;
  // A method, so that the engine, which does not know what `Stored` is, may hand it back.
  fromStored(stored: Stored): State;
}

/** A kind's form of states; by default states are plain values, stored as they are. */
export function storedForm<State>(own: StoredForm<State> | undefined): StoredForm<State> {
  return (
    own ?? {
      toStored: (state) => state,
      // The cast is safe because only stored states come back.
      fromStored: (stored) => stored as State,
    }
  );
}

/** Each value carries its own field names: its bytes do not depend on earlier values. */
const packr = new Packr({ moreTypes: true, copyBuffers: true });

/** A plain value, encoded independently. */
export function bytesOf(value: unknown): Buffer {
  return packr.pack(value);
}

/** Decodes bytes to a value that refers to no part of them. */
export function valueIn(bytes: Buffer): unknown {
  return packr.unpack(bytes);
}

/** The states of one kind as bytes; a state that many streams share is encoded once. */
export class StoredStates<State> {
  private latest: { readonly state: State; readonly bytes: Buffer } | null = null;

  constructor(private readonly form: StoredForm<State>) {}

  /** A state as it rests; the same bytes if the same state is passed again. */
  bytesOf(state: State): Buffer {
    const { form, latest } = this;
    if (latest?.state === state) return latest.bytes;
    const bytes = bytesOf(form.toStored(state));
    this.latest = { state, bytes };
    return bytes;
  }

  /** Decodes the bytes of a state. */
  stateIn(bytes: Buffer): State {
    return this.form.fromStored(valueIn(bytes));
  }
}
