/**
 * The old events that newer events need: the event before them in their stream, and events that
 * they name. A sweep ends at an edge chosen by retention and does not read the events above it, so
 * the offsets they need below it are noted when they are appended, live and in replay.
 */
import type { ActorDirectory } from '../actor-directory.js';
import { type DomainEvent, type EventEnvelope, isCheckpoint } from '../decider.js';
import type { Engine } from '../engine.js';
import type { FoldMemory } from '../registration.js';
import type { TurnChanges } from '../turn-changes.js';

/** A stretch ends early at this many bytes for each event of its full length. */
export const bytesPerEvent = 4096;

/**
 * One per engine, part of its memory: snapshots hold it, so that a start need not read the events
 * that they cover. All offsets are journal offsets.
 */
export class Crossings {
  /**
   * For each stretch, by the offset at which it begins and in that order: what its events need from
   * before it. Takes eight bytes for each event that needs one a stretch or more behind it, as long
   * as it is in retention.
   */
  private readonly needed = new Map<number, number[]>();
  /** The offset of the latest checkpoint of each stream, by the stream's name. */
  private readonly checkpoints = new Map<string, number>();
  /** Called with each needed offset that is noted, while a sweep is being marked. */
  watch: ((offset: number) => void) | null = null;

  /** Whether a stream has not ended. */
  private exists: (name: string) => boolean = () => true;
  private readonly memory: FoldMemory;

  /** Where the latest stretch begins; null = unknown, as a snapshot may have been read since. */
  private latest: number | null = null;
  /** Bytes of the events in the latest stretch that came since the start. */
  private bytes = 0;

  /**
   * A sweep may end where a stretch begins: needs within a stretch are not noted. A stretch ends
   * after `stretch` events, or once it has as many bytes as that many events of `bytesPerEvent`
   * each, so that a few large messages do not keep much more than retention asks for.
   */
  constructor(private readonly stretch: number) {
    const maps = { needed: this.needed, checkpoints: this.checkpoints };
    const settings = [stretch, bytesPerEvent];
    this.memory = { name: 'crossings', maps, settings, mayHoldMore: true };
  }

  /** Follows every kind of event registered by now; before recovery. */
  follow(engine: Engine): void {
    this.exists = (name) => {
      const end = name.indexOf('/');
      return engine.actors(name.slice(0, end)).has(name.slice(end + 1));
    };
    for (const kind of engine.kinds) {
      const actors = engine.actors(kind);
      const { memory } = this;
      engine.follow(kind, {
        memory,
        evolve: (envelope, changes) => this.note(actors, envelope, changes),
      });
    }
  }

  /** The latest edge at or before `offset`; 0 = there is none. */
  edgeAt(offset: number): number {
    let edge = 0;
    for (const begin of this.needed.keys()) if (begin <= offset) edge = begin;
    return edge;
  }

  /** The offsets before `edge` that events from `edge` on need; `edge` must be an edge. */
  *across(edge: number): Generator<number> {
    for (const [begin, offsets] of this.needed) {
      if (begin < edge) continue;
      for (const offset of offsets) if (offset < edge) yield offset;
    }
  }

  /** Forgets everything before `edge`: no sweep will end there any more. */
  forgetBefore(edge: number): void {
    for (const [name, offset] of this.checkpoints) {
      if (offset < edge && !this.exists(name)) this.checkpoints.delete(name);
    }
    for (const begin of this.needed.keys()) if (begin < edge) this.needed.delete(begin);
  }

  /** The offset of a stream's latest checkpoint, or that of an earlier stream with its name. */
  checkpointOf(kind: string, id: string): number {
    return this.checkpoints.get(`${kind}/${id}`) ?? -1;
  }

  private note(actors: ActorDirectory, envelope: EventEnvelope, changes: TurnChanges): void {
    const { kind, id, offset, previous, event, byteLength } = envelope;
    const begin = this.stretchOf(offset, byteLength);
    // A checkpoint itself does not need the events that led to it.
    if (isCheckpoint(event)) changes.set(this.checkpoints, `${kind}/${id}`, offset);
    else if (previous >= 0) this.add(begin, previous);
    for (const named of namedBy(actors, event)) this.add(begin, named);
  }

  /**
   * Where the stretch of the next event begins. The offsets of a turn that is rolled back are used
   * again, and may lie before a stretch that began in that turn. Their needs are noted with that
   * stretch all the same: a sweep then keeps more, never less.
   */
  private stretchOf(offset: number, byteLength: number): number {
    let latest = this.latest ?? [...this.needed.keys()].at(-1) ?? 0;
    const events = offset - latest;
    const isFull = events >= this.stretch || this.bytes >= this.stretch * bytesPerEvent;
    if (isFull && events > 0) {
      latest = offset;
      this.bytes = 0;
      this.needed.set(offset, []);
    }
    this.latest = latest;
    this.bytes += byteLength;
    return latest;
  }

  private add(begin: number, offset: number): void {
    this.watch?.(offset);
    if (offset >= begin) return;
    const offsets = this.needed.get(begin);
    if (offsets === undefined) this.needed.set(begin, [offset]);
    // All messages of a schedule name the same body.
    else if (offsets.at(-1) !== offset) offsets.push(offset);
  }
}

/** The offsets named by an event. */
export function namedBy(actors: ActorDirectory, event: DomainEvent): readonly number[] {
  if (isCheckpoint(event)) return actors.checkpoints.referencesOf(event);
  return actors.decider.references?.(event) ?? nothing;
}

const nothing: readonly number[] = [];
