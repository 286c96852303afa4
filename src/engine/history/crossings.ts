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

/**
 * One for each engine, part of its memory: snapshots hold it, so that a start need not read what
 * they cover. All offsets are of the journal.
 */
export class Crossings {
  /**
   * By stretch of the needing event, the needed offsets below it: eight bytes for each event that
   * lies a stretch or more behind the one that it needs, as long as it is in retention.
   */
  private readonly needed = new Map<number, number[]>();
  /** By the name of a stream, where its latest checkpoint stands. */
  private readonly checkpoints = new Map<string, number>();
  /** Called with each needed offset that is noted, while a mark is made. */
  watch: ((offset: number) => void) | null = null;

  /** Whether a stream has not ended. */
  private isThere: (name: string) => boolean = () => true;
  private readonly memory: FoldMemory;

  /** A sweep may end at multiples of `stretch`: needs within one stretch are not noted. */
  constructor(private readonly stretch: number) {
    const maps = { needed: this.needed, checkpoints: this.checkpoints };
    this.memory = { name: 'crossings', maps, settings: [stretch], mayHoldMore: true };
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

  /** The latest edge that does not lie behind `offset`. */
  edgeAt(offset: number): number {
    return Math.floor(offset / this.stretch) * this.stretch;
  }

  /** What events at `edge`, which is one, and behind it need from before it. */
  *across(edge: number): Generator<number> {
    for (const [stretch, offsets] of this.needed) {
      if (stretch < edge) continue;
      for (const offset of offsets) if (offset < edge) yield offset;
    }
  }

  /** No sweep ends before `edge` any more. */
  forgetBefore(edge: number): void {
    for (const [name, offset] of this.checkpoints) {
      if (offset < edge && !this.isThere(name)) this.checkpoints.delete(name);
    }
    for (const stretch of this.needed.keys()) if (stretch < edge) this.needed.delete(stretch);
  }

  /** Where the latest checkpoint of a stream stands, which may have been of one before it. */
  checkpointOf(kind: string, id: string): number {
    return this.checkpoints.get(`${kind}/${id}`) ?? -1;
  }

  private note(actors: ActorDirectory, envelope: EventEnvelope, changes: TurnChanges): void {
    const { kind, id, offset, previous, event } = envelope;
    const stretch = this.edgeAt(offset);
    // What led to a checkpoint is not needed for its sake.
    if (isCheckpoint(event)) changes.set(this.checkpoints, `${kind}/${id}`, offset);
    else if (previous >= 0) this.add(stretch, previous);
    for (const named of namedBy(actors, event)) this.add(stretch, named);
  }

  private add(stretch: number, offset: number): void {
    this.watch?.(offset);
    if (offset >= stretch) return;
    const offsets = this.needed.get(stretch);
    if (offsets === undefined) this.needed.set(stretch, [offset]);
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
