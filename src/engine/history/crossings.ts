/**
 * Which old events newer ones need: the event before them in their stream, and those that they
 * name. A sweep ends at an edge that retention chooses and does not read the events above it:
 * which offsets below they need is noted when they are appended, live and in replay.
 */
import type { ActorDirectory } from '../actor-directory.js';
import { type DomainEvent, type EventEnvelope, isCheckpoint } from '../decider.js';
import type { Engine } from '../engine.js';
import type { FoldMemory } from '../registration.js';
import type { TurnChanges } from '../turn-changes.js';

/** As many bytes as this for each of its events end a stretch early. */
export const bytesPerEvent = 4096;

/**
 * One for each engine, part of its memory: snapshots hold it, so that a start need not read what
 * they cover. All offsets are of the journal.
 */
export class Crossings {
  /**
   * By the offset at which a stretch begins, in their order: what its events need from before it.
   * Eight bytes for each event that lies a stretch or more behind the one that it needs, as long
   * as it is in retention.
   */
  private readonly needed = new Map<number, number[]>();
  /** By the name of a stream, where its latest checkpoint stands. */
  private readonly checkpoints = new Map<string, number>();
  /** Called with each needed offset that is noted, while a mark is made. */
  watch: ((offset: number) => void) | null = null;

  /** Whether a stream has not ended. */
  private isThere: (name: string) => boolean = () => true;
  private readonly memory: FoldMemory;

  /** Where the latest stretch begins; null = not looked up since a snapshot may have been read. */
  private latest: number | null = null;
  /** Of the events in the latest stretch that came since the start. */
  private bytes = 0;

  /**
   * A sweep may end where a stretch begins: needs within one are not noted. It ends after
   * `stretch` events, or earlier with as many bytes as they have at `bytesPerEvent`, so that few
   * large messages do not keep much more than retention asks for.
   */
  constructor(private readonly stretch: number) {
    const maps = { needed: this.needed, checkpoints: this.checkpoints };
    const settings = [stretch, bytesPerEvent];
    this.memory = { name: 'crossings', maps, settings, mayHoldMore: true };
  }

  /** Follows every kind of event that is registered by now; before recovery. */
  follow(engine: Engine): void {
    this.isThere = (name) => {
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

  /** The latest edge that does not lie behind `offset`; 0 = there is none. */
  edgeAt(offset: number): number {
    let edge = 0;
    for (const begin of this.needed.keys()) if (begin <= offset) edge = begin;
    return edge;
  }

  /** What events at `edge`, which is one, and behind it need from before it. */
  *across(edge: number): Generator<number> {
    for (const [begin, offsets] of this.needed) {
      if (begin < edge) continue;
      for (const offset of offsets) if (offset < edge) yield offset;
    }
  }

  /** No sweep ends before `edge` any more. */
  forgetBefore(edge: number): void {
    for (const [name, offset] of this.checkpoints) {
      if (offset < edge && !this.isThere(name)) this.checkpoints.delete(name);
    }
    for (const begin of this.needed.keys()) if (begin < edge) this.needed.delete(begin);
  }

  /** Where the latest checkpoint of a stream stands, which may have been of one before it. */
  checkpointOf(kind: string, id: string): number {
    return this.checkpoints.get(`${kind}/${id}`) ?? -1;
  }

  private note(actors: ActorDirectory, envelope: EventEnvelope, changes: TurnChanges): void {
    const { kind, id, offset, previous, event, byteLength } = envelope;
    const begin = this.stretchOf(offset, byteLength);
    // What led to a checkpoint is not needed for its sake.
    if (isCheckpoint(event)) changes.set(this.checkpoints, `${kind}/${id}`, offset);
    else if (previous >= 0) this.add(begin, previous);
    for (const named of namedBy(actors, event)) this.add(begin, named);
  }

  /**
   * Where the stretch of the next event begins. The offsets of a turn that is rolled back come
   * again, and may lie before a stretch that began in it. What they need is noted with that
   * stretch all the same: a sweep keeps more for it, never less.
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
    // A schedule's messages all name one body.
    else if (offsets.at(-1) !== offset) offsets.push(offset);
  }
}

/** The offsets that an event names. */
export function namedBy(actors: ActorDirectory, event: DomainEvent): readonly number[] {
  if (isCheckpoint(event)) return actors.checkpoints.referencesOf(event);
  return actors.decider.references?.(event) ?? nothing;
}

const nothing: readonly number[] = [];
