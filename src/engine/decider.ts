/**
 * What every entity is: everything stateful is a decider, and the engine runs nothing else.
 *
 *     decide(command, state, view) -> events | refusal     what the command means now
 *     evolve(state, event)         -> state                what has happened, remembered
 *     react(event, state)          -> commands             what this means for other streams
 *     wants(state)                 -> effects              what this state wants running
 *
 * All four are pure: no clock, no randomness, no I/O. Time and ids come in with the command.
 */
import type { Refusal, Success } from '../grammar/result.js';
import type { Principal } from './principal/principal.js';
import type { StoredForm } from './resting/stored-form.js';

/** An imperative request, addressed to one stream. `Result` is what its acceptance answers. */
export interface Command<Result = unknown> {
  readonly type: string;
  /** Which decider judges it. */
  readonly kind: string;
  /** Which entity of that kind it is addressed to. */
  readonly id: string;
  /** When it was given, Unix milliseconds: the only time a decider knows. */
  readonly at: number;
  /** Its id was made for it just now (`TurnNames`): no stream has it, and none is looked for. */
  readonly begins?: true;
  /** Never there: it ties the type of the result to that of the command. */
  readonly resultType?: Result;
}

/** What the acceptance of a command answers. */
export type ResultOf<Cmd extends Command> = Cmd extends Command<infer Result> ? Result : never;

/**
 * A past-tense fact. Its fields have a fixed shape (absent is `null`), because the journal stores
 * one structure per shape: what a user names (headers, labels) is a list, never an object's keys.
 */
export interface DomainEvent {
  readonly type: string;
}

/** What a command means: facts to remember, or why it is refused. It is the command's outcome. */
export type Decision<Event extends DomainEvent> = Accepted<Event> | Refusal;

/** `value` is what is answered to the command; the engine only carries it. */
interface Accepted<Event extends DomainEvent> extends Success<unknown> {
  readonly events: readonly Event[];
  /** Bytes that the first event brings along; stored beside it, never parsed or copied into it. */
  readonly body: Buffer | null;
}

/**
 * A thing that a state wants running. Its id is unique among the effects of its stream.
 */
export interface Effect {
  readonly kind: string;
  readonly id: string;
  /** Do not start before this time, Unix milliseconds; 0 = at once. */
  readonly notBefore: number;
}

/** An event at its place in the journal. */
export interface EventEnvelope<Event extends DomainEvent = DomainEvent> {
  readonly kind: string;
  readonly id: string;
  /** Position within its stream, from 0. */
  readonly sequence: number;
  /** When it happened, Unix milliseconds. */
  readonly at: number;
  /** Its place in the journal. */
  readonly offset: number;
  /**
   * The offset of the stream's event before it; -1 for the first. A stream is read by this chain.
   */
  readonly previous: number;
  /** Who or what caused it; null = it is of a version that did not record it. */
  readonly by: Principal | null;
  readonly event: Event;
  readonly body: Buffer | null;
  /** Of the body, or of its whole record where it was read: `body` is cut when it is asked for. */
  readonly byteLength: number;
}

/** The type of `Checkpointed`. */
export const checkpointedType = 'Checkpointed';

/**
 * The state of a stream as an event (ADR 36): a stream that lives for years has one now and then,
 * so that a sweep may remove what led to it. Replay may begin a stream with it.
 */
export interface Checkpointed<Stored = unknown> extends DomainEvent {
  readonly type: typeof checkpointedType;
  /** Where the first event of the stream stands, or stood. */
  readonly began: number;
  /** Plain values, as the kind stores its states (`Decider.stored`). */
  readonly state: Stored;
  /** What indexes of its kind remember under the id of the stream. */
  readonly entries: readonly CheckpointedEntry[];
}

/** One entry of one map of an index. */
export interface CheckpointedEntry {
  readonly index: string;
  readonly map: string;
  readonly value: unknown;
}

/** Whether an event is the state of its stream, and nothing that has happened. */
export function isCheckpoint(event: DomainEvent): event is Checkpointed {
  return event.type === checkpointedType;
}

/** Names for what one turn creates: the same turn, decided again, names the same things. */
export interface TurnNames {
  /** A new id, `<prefix>_<seed of the turn><index>`. */
  next(prefix: string): string;
}

/** One kind of entity. `View` is the set of in-memory indexes that its decisions read. */
export interface Decider<State, Cmd extends Command, Event extends DomainEvent, View = unknown> {
  readonly kind: string;
  readonly events: EventVersions<Event['type']>;
  /** The state before the first event. */
  initialState(): State;
  decide(command: Cmd, state: State, view: View): Decision<Event>;
  /** The state after something that already happened. Total: it never refuses, it never mutates. */
  evolve(state: State, event: Event, envelope: EventEnvelope<Event>): State;
  /**
   * Whether a state handles an event, where some do not: an accepted event that would not be
   * handled is a defect, and its turn fails. Replay does not ask: what happened has happened.
   */
  handles?(state: State, event: Event): boolean;
  /**
   * Commands for other streams, decided in the same turn; `state` is the one after the event,
   * `command` the one that it was decided for, and `before` the state before the event. A refused
   * one is dropped and counted.
   */
  react?(
    envelope: EventEnvelope<Event>,
    state: State,
    names: TurnNames,
    command: Cmd,
    before: State,
  ): readonly Command[];
  wants(state: State, id: string): readonly Effect[];
  /** A final stream leaves memory; reading it back is a read of the journal. */
  isFinal(state: State): boolean;
  /** Whether others go on once this stream has ended: its end is then written at once (ADR 55). */
  isAwaited?(state: State): boolean;
  /**
   * Index terms of an event, by which the journal finds it again. The stream's id is always one.
   * A later event of a stream may be found by what its first one said: its command brings that, or
   * the state before the event remembers it.
   */
  terms?(event: Event, command: Cmd, state: State): readonly string[];
  /**
   * Journal offsets of earlier events that readers of this event need: a sweep that keeps the event
   * keeps those, too.
   */
  references?(event: Event): readonly number[];
  /**
   * Another stream that a sweep keeps this one with, though no event there names it: the stream
   * that this one takes back, or whose questions it answers. `first` is this stream's first event.
   */
  keptWith?(id: string, first: Event): KeptWith | null;
  /**
   * Streams of this kind live for years: now and then their state is stored as an event, so that
   * older ones may go. Neither `evolve` nor `react` sees it.
   */
  readonly checkpoints?: {
    /** Journal offsets in a state, of events that readers of the state need. */
    references(state: State): readonly number[];
  };
  /** How a state is stored as bytes; without it, it is made of plain values and stored as it is. */
  readonly stored?: StoredForm<State>;
  /** States that were not touched for long are kept as bytes: those of machines are large. */
  readonly restsIdle?: boolean;
}

/** Turns version n of an event's fields into version n+1. */
type Upcaster = (fields: never) => DomainEvent;

/**
 * Every type of event of one kind, with the upcasters from version 1 on: the version that is
 * written is one more than their number. Events on disk are never rewritten. An event of another
 * type, or of a later version, is that of a later program, and ends a start (`NewerFormat`).
 */
export type EventVersions<Type extends string = string> = Readonly<
  Record<Type, readonly Upcaster[]> & { [checkpointedType]?: readonly Upcaster[] }
>;

/** Something of an earlier stream: the event at a journal offset, or the stream of this name. */
export type KeptWith = { readonly offset: number } | { readonly kind: string; readonly id: string };

/** The command means these facts (none: it was a repeat, nothing changes). */
export function accept<Event extends DomainEvent>(
  events: readonly Event[],
  value: unknown = null,
  body: Buffer | null = null,
): Decision<Event> {
  return { ok: true, value, events, body };
}

/**
 * The same text, on its own, for states and indexes: what is read of an event is a slice of all its
 * texts, and would keep them alive when the event has been forgotten.
 */
export function keptText(text: string): string {
  return Buffer.from(text).toString();
}
