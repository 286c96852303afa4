/** A feature's view of its kind of entity: typed states, commands and events. */
import type { Actor, ActorDirectory } from './actor-directory.js';
import type { Command, DomainEvent, ResultOf } from './decider.js';
import type { Engine } from './engine.js';
import type { Principal } from './principal/principal.js';
import type {
  EventListener,
  Fold,
  IndexMemory,
  Interest,
  Reaction,
  Registration,
} from './registration.js';
import type { Outcome } from './turn.js';

/**
 * One kind of entity. A feature's own class names the decider and what its decisions read; the kind
 * is registered once a module provides the class:
 *
 *     @Injectable()
 *     export class Queues extends Entity<QueueState, QueueCommand, QueueEvent> {
 *       constructor(engine: Engine) {
 *         super(engine, { decider: queueDecider, view: null, folds: [] });
 *       }
 *     }
 *
 * Features above follow the kind by `follow`, `reactTo`, `index` and `observe`, before recovery;
 * the kind does not know its followers. An `Interest` names the events that concern a follower.
 */
export abstract class Entity<State, Cmd extends Command, Event extends DomainEvent, View = null> {
  readonly kind: string;
  /** Every stream of this kind that is not final, with its offsets. */
  readonly actors: ActorDirectory<State>;

  constructor(
    protected readonly engine: Engine,
    registration: Registration<State, Cmd, Event, View>,
  ) {
    this.kind = registration.decider.kind;
    this.actors = engine.register(registration);
  }

  /** How many streams exist and are not final. */
  get size(): number {
    return this.actors.size;
  }

  /** Whether a stream exists and is not final. */
  has(id: string): boolean {
    return this.actors.has(id);
  }

  /** A stream that exists and is not final, to be read. */
  find(id: string): Actor<State> | undefined {
    return this.actors.find(id);
  }

  /** The state of a stream, or the state before its first event. */
  stateOf(id: string): State {
    return this.actors.stateOf(id);
  }

  /** Decides one command as a turn of its own and answers once it is durable; `by` caused it. */
  async ask<Own extends Cmd>(
    command: Own,
    by: Principal | null = null,
  ): Promise<Outcome<ResultOf<Own>>> {
    const [outcome] = await this.engine.dispatch([command], by);
    return outcome;
  }

  /** Returns what `read` finds now, once that is durable. */
  shown<Value>(read: () => Value): Promise<Value> {
    return this.engine.shown(read);
  }

  /** Adds `fold`, an index over this kind's events that changes in the same tick as the states. */
  follow(fold: Fold<Event, State>): void {
    this.engine.follow(this.kind, fold);
  }

  /** Adds `reaction` to events of this kind; it runs after the kind's own `react`. */
  reactTo(reaction: Reaction<Event, State>, interest?: Interest<Event>): void {
    this.engine.reactTo(this.kind, reaction, interest);
  }

  /** `listener` sees the events of this kind once they are durable, but no replayed ones. */
  observe(listener: EventListener<Event>, interest?: Interest<Event>): void {
    this.engine.observe([this.kind], listener, interest);
  }

  /**
   * `index` learns the events of this kind once they are durable, replayed ones first; `memory` is
   * what it remembers.
   */
  index(index: EventListener<Event>, memory: IndexMemory | null): void {
    this.engine.index([this.kind], index, memory);
  }
}
