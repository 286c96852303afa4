/**
 * The shape of every entity: everything stateful is a decider, and the engine runs nothing else.
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

/** An imperative request, addressed to one stream. `Result` is the answer if it is accepted. */
export interface Command<Result = unknown> {
  readonly type: string;
  /** The kind of entity, whose decider decides the command. */
  readonly kind: string;
  /** The entity of that kind to which the command is addressed. */
  readonly id: string;
  /** When the command was given, Unix milliseconds: the only time a decider knows. */
  readonly at: number;
  /** Its id was made for it just now (`TurnNames`): no stream has that id, so none is looked up. */
  readonly begins?: true;
  /** Never present: it ties the type of the result to that of the command. */
  readonly resultType?: Result;
}

/** The answer to an accepted command. */
export type ResultOf<Cmd extends Command> = Cmd extends Command<infer Result> ? Result : never;

/**
 * A past-tense fact. Its fields have a fixed shape (absent is `null`), because the journal stores
 * one structure per shape: what a user names (headers, labels) is a list, never an object's keys.
 */
export interface DomainEvent {
  readonly type: string;
}

/** The outcome of a command: events to remember, or a refusal. */
export type Decision<Event extends DomainEvent> = Accepted<Event> | Refusal;

/** `value` is the answer to the command; the engine only carries it. */
interface Accepted<Event extends DomainEvent> extends Success<unknown> {
  readonly events: readonly Event[];
  /** Bytes that belong to the first event; stored beside it, never parsed or copied into it. */
  readonly body: Buffer | null;
}

/** A thing that a state wants running. The id is unique among the effects of the stream. */
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
  /** When the event happened, Unix milliseconds. */
  readonly at: number;
  /** Offset of the event in the journal. */
  readonly offset: number;
  /** The offset of the stream's event before it; -1 for the first. Streams are read this way. */
  readonly previous: number;
  /** Who or what caused the event; null = a version wrote it that did not record this. */
  readonly by: Principal | null;
  readonly event: Event;
  readonly body: Buffer | null;
  /** Bytes of the body, or of the whole record if it was read: `body` is cut out only on demand. */
  readonly byteLength: number;
}

/** The type of `Checkpointed`. */
export const checkpointedType = 'Checkpointed';

/**
 * The state of a stream as an event (ADR 36). A stream that lives for years gets one now and then,
 * so that a sweep may remove the events before it. Replay may begin a stream with it.
 */
export interface Checkpointed<Stored = unknown> extends DomainEvent {
  readonly type: typeof checkpointedType;
  /** Journal offset of the stream's first event, which may have been removed since. */
  readonly began: number;
  /** Plain values, as the kind stores its states (`Decider.stored`). */
  readonly state: Stored;
  /** What the indexes of the kind remember under the id of the stream. */
  readonly entries: readonly CheckpointedEntry[];
}

/** One entry of one map of an index. */
export interface CheckpointedEntry {
  readonly index: string;
  readonly map: string;
  readonly value: unknown;
}

/** Whether an event is a checkpoint of its stream instead of something that has happened. */
export function isCheckpoint(event: DomainEvent): event is Checkpointed {
  return event.type === checkpointedType;
}

/** Names for what one turn creates: a turn that is decided again gives the same names. */
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
   * Whether a state handles an event, for kinds whose states do not handle all: accepting an event
   * that would not be handled is a defect, and the turn fails. Replay does not ask: what happened
   * has happened.
   */
  handles?(state: State, event: Event): boolean;
  /**
   * Commands for other streams, decided in the same turn; `state` is the state after the event,
   * `before` the state before it, and `command` the command for which it was decided. A refused
   * command of these is dropped and counted.
   */
  react?(
    envelope: EventEnvelope<Event>,
    state: State,
    names: TurnNames,
    command: Cmd,
    before: State,
  ): readonly Command[];
  wants(state: State, id: string): readonly Effect[];
  /** A final stream leaves memory; its events can still be read from the journal. */
  isFinal(state: State): boolean;
  /** Whether others wait for this stream to end: its end is then written at once (ADR 55). */
  isAwaited?(state: State): boolean;
  /**
   * Index terms by which the journal finds an event again. The stream's id is always one of them. A
   * later event may be found by what the stream's first event said, if its command brings that or
   * the state before the event remembers it.
   */
  terms?(event: Event, command: Cmd, state: State): readonly string[];
  /**
   * Journal offsets of earlier events that readers of this event need: a sweep that keeps the event
   * keeps those, too.
   */
  references?(event: Event): readonly number[];
  /**
   * Another stream with which a sweep keeps this one, though no event there names it: the stream
   * that this one takes back, or whose questions it answers. `first` is this stream's first event.
   */
  keptWith?(id: string, first: Event): KeptWith | null;
  /**
   * Streams of this kind live for years: now and then their state is stored as an event, so that
   * older events may be removed. Neither `evolve` nor `react` sees that event.
   */
  readonly checkpoints?: {
    /** Journal offsets, in a state, of events that readers of the state need. */
    references(state: State): readonly number[];
  };
  /** How a state is stored as bytes; absent = it has plain values only and is stored as it is. */
  readonly stored?: StoredForm<State>;
  /** States not touched for long are kept as bytes: the states of machines are large. */
  readonly restsIdle?: boolean;
}

/** Turns version n of an event's fields into version n+1. */
type Upcaster = (fields: never) => DomainEvent;

/**
 * Every type of event of one kind, with the upcasters from version 1 on: events are written in a
 * version that is one more than their number. Events on disk are never rewritten. An event of
 * another type, or of a later version, comes from a later program and fails the start
 * (`NewerFormat`).
 */
export type EventVersions<Type extends string = string> = Readonly<
  Record<Type, readonly Upcaster[]> & { [checkpointedType]?: readonly Upcaster[] }
>;

/** A part of another stream: the event at a journal offset, or the stream of this name. */
export type KeptWith = { readonly offset: number } | { readonly kind: string; readonly id: string };

/** Accepts a command with these events (none: it was a repeat, nothing changes). */
export function accept<Event extends DomainEvent>(
  events: readonly Event[],
  value: unknown = null,
  body: Buffer | null = null,
): Decision<Event> {
  return { ok: true, value, events, body };
}

/**
 * An independent copy of a text, for states and indexes: a text read from an event is a slice of
 * all texts of the event, and would keep them in memory when the event has been forgotten.
 */
export function keptText(text: string): string {
  return Buffer.from(text).toString();
}
