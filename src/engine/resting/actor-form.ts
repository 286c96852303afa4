/** What memory holds of a stream, as an object and as bytes. */
import { RestingStream, type StoredStream } from './resting-stream.js';
import { type StoredForm, StoredStates } from './stored-form.js';

/**
 * What memory holds of one stream. Replaced, never mutated, by every event. A class for the same
 * reason as `RestingStream`.
 */
export class Actor<State = unknown> {
  constructor(
    readonly state: State,
    /** Events so far. */
    readonly length: number,
    /**
     * The offset of its first event, from which the content of a published message is read back.
     */
    readonly firstOffset: number,
    readonly lastOffset: number,
  ) {}
}

/** Converts the actors of one kind; its decider says how states are stored (`StoredForm`). */
export class ActorForm<State> {
  private readonly states: StoredStates<State>;

  /** `form` is that of the kind's states. */
  constructor(form: StoredForm<State>) {
    this.states = new StoredStates(form);
  }

  /** The form that snapshots keep. */
  stored(id: string, { state, length, firstOffset, lastOffset }: Actor<State>): StoredStream {
    return { id, length, firstOffset, lastOffset, bytes: this.states.bytesOf(state) };
  }

  /** The form at rest. */
  resting(id: string, actor: Actor<State>, wantedAt: number): RestingStream {
    const { state, length, firstOffset, lastOffset } = actor;
    const bytes = this.states.bytesOf(state);
    return new RestingStream(id, length, firstOffset, lastOffset, bytes, wantedAt);
  }

  /** The actor of a resting stream that is woken. */
  actor({ bytes, length, firstOffset, lastOffset }: RestingStream): Actor<State> {
    return new Actor(this.states.stateIn(bytes), length, firstOffset, lastOffset);
  }
}
