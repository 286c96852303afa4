/** What memory holds of a stream, as objects and as bytes. */
import type { RestingStream, StoredStream } from './resting-page.js';
import { type StoredForm, StoredStates } from './stored-form.js';

/** What memory holds of one stream. Replaced, never mutated, by every event. */
export interface Actor<State = unknown> {
  readonly state: State;
  /** Events so far. */
  readonly length: number;
  /** The offset of its first event: what a message was published with is read back from there. */
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/** Of one kind of entity: its decider says how states are stored (`StoredForm`). */
export class ActorForm<State> {
  private readonly states: StoredStates<State>;

  /** `form` of its states. */
  constructor(form: StoredForm<State>) {
    this.states = new StoredStates(form);
  }

  /** As a snapshot keeps it. */
  stored(id: string, { state, length, firstOffset, lastOffset }: Actor<State>): StoredStream {
    return { id, length, firstOffset, lastOffset, bytes: this.states.bytesOf(state) };
  }

  /** As it rests. Of its own: fields behind a spread would cost as much as all else here. */
  resting(id: string, actor: Actor<State>, wantedAt: number): RestingStream {
    const { state, length, firstOffset, lastOffset } = actor;
    return { id, length, firstOffset, lastOffset, bytes: this.states.bytesOf(state), wantedAt };
  }

  /** A resting one, as it is when it is woken. */
  actor({ bytes, length, firstOffset, lastOffset }: RestingStream): Actor<State> {
    return { state: this.states.stateIn(bytes), length, firstOffset, lastOffset };
  }
}
