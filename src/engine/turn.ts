/**
 * One turn being decided: commands in, records out, memory changed under an overlay. Nothing here
 * waits, and nothing leaves this file before the whole turn is decided.
 */
import type { RecordInput } from '../../storage/format/record.js';
import { Refusal, type Result } from '../grammar/result.js';
import type { Actor, ActorDirectory } from './actor-directory.js';
import type { Command, DomainEvent, EventEnvelope, ResultOf, TurnNames } from './decider.js';
import type { EventCodec } from './event-codec.js';
import { type Followers, meets } from './followers.js';
import {
  type Caller,
  ownWork,
  type Principal,
  principalTerm,
  workFor,
} from './principal/principal.js';
import type { AnyInterest, AnyRegistration, Reaction } from './registration.js';
import type { TurnChanges } from './turn-changes.js';

/** A turn decides at most this many commands, so that no request holds the event loop. */
export const turnCommandsMax = 256;

/** What became of one command. */
export type Outcome<Answer = unknown> = Result<Answer>;

/** What events of a kind mean for another feature: those that concern it, or all. */
export interface FollowingReaction {
  readonly react: Reaction;
  readonly interest: AnyInterest | undefined;
}

/** What became of each of several commands, in their order. */
export type Outcomes<Commands extends readonly Command[]> = {
  readonly [Index in keyof Commands]: Outcome<ResultOf<Commands[Index]>>;
};

/** A command could be carried out, but for another one that goes with it, whose refusal this is. */
export class RefusalOfAnother extends Refusal {
  /** What those are answered that go together with one that is refused so. */
  static than({ code, message, headers, details }: Refusal): RefusalOfAnother {
    return new RefusalOfAnother(code, message, headers, details);
  }
}

/** One kind of entity as the engine holds it. */
export interface RegisteredKind {
  readonly registration: AnyRegistration;
  readonly actors: ActorDirectory;
  /** Of other features. */
  readonly reactions: Followers<FollowingReaction>;
}

/** A reaction that its own decider refused: dropped, never half applied. */
export interface RefusedReaction {
  readonly command: Command;
  readonly refusal: Refusal;
}

/** What the engine tells the component that watches over it. */
export interface EngineWatch {
  /** A defect: a decider threw. Memory and journal are untouched. */
  turnFailed(error: unknown, commands: readonly Command[]): void;
  reactionRefused(refused: RefusedReaction): void;
}

/** A command, and the one of the turn that it goes back to. */
interface Caused {
  readonly command: Command;
  readonly origin: Command;
}

/**
 * Made by `Engine` for one `dispatch`. What `run` throws is a defect: the engine takes the changes
 * back then and appends nothing.
 */
export class Turn {
  readonly records: RecordInput[] = [];
  readonly envelopes: EventEnvelope[] = [];
  readonly refusedReactions: RefusedReaction[] = [];
  /** Every stream that it has changed is final, and not awaited: nothing starts because of it. */
  startsNothing = true;
  private readonly reactions: Caused[] = [];
  /** Of the request that caused it: its credential, and its seed. */
  private readonly callerTerms: readonly string[];

  /**
   * `firstOffset` is where the journal will put the first event of this turn. `by` is who caused
   * all of it; null = the server, each command for the sake of its own stream.
   */
  constructor(
    private readonly entities: ReadonlyMap<string, RegisteredKind>,
    private readonly codec: EventCodec,
    private readonly changes: TurnChanges,
    private readonly firstOffset: number,
    private readonly names: TurnNames,
    private readonly by: Principal | null,
  ) {
    this.callerTerms = by?.type === 'caller' ? termsOf(by) : noTerms;
  }

  /** Decides every command, then every reaction to what they caused, in order. */
  run(commands: readonly Command[]): Outcome[] {
    const outcomes = commands.map((command) => this.decide({ command, origin: command }));
    // Those that they cause are added behind them.
    for (const reaction of this.reactions) {
      const outcome = this.decide(reaction);
      if (outcome.ok) continue;
      this.refusedReactions.push({ command: reaction.command, refusal: outcome });
    }
    return outcomes;
  }

  /** What all are answered where they go together: the first refusal; undefined = there is none. */
  static refusedTogether(outcomes: readonly Outcome[]): readonly Outcome[] | undefined {
    const refusal = outcomes.find((outcome) => !outcome.ok);
    if (refusal === undefined) return undefined;
    const another = RefusalOfAnother.than(refusal);
    return outcomes.map((outcome) => (outcome === refusal ? refusal : another));
  }

  private decide(caused: Caused): Outcome {
    const { command } = caused;
    const entity = this.entities.get(command.kind);
    if (entity === undefined) throw new Error(`no decider is registered for ${command.kind}`);
    const { decider, view } = entity.registration;
    let actor = command.begins === true ? undefined : entity.actors.wake(command.id);
    const state = actor === undefined ? decider.initialState() : actor.state;
    const decision = decider.decide(command, state, view);
    if (!decision.ok) return decision;
    let body = decision.body;
    for (const event of decision.events) {
      actor = this.remember(entity, caused, actor, event, body);
      body = null;
    }
    return decision;
  }

  private remember(
    { registration: { decider }, actors, reactions: others }: RegisteredKind,
    { command, origin }: Caused,
    actor: Actor | undefined,
    event: DomainEvent,
    body: Buffer | null,
  ): Actor {
    const by = this.by ?? workOf(origin, command);
    const envelope = this.envelopeOf(command, actor, by, event, body);
    const { kind, id } = envelope;
    const before = actor === undefined ? decider.initialState() : actor.state;
    if (decider.handles?.(before, event) === false) {
      throw new Error(`${kind} ${id} accepted ${event.type}, which it does not hear in its state`);
    }
    const terms = decider.terms?.(event, command, before) ?? noTerms;
    this.records.push(this.codec.encode(envelope, this.withCaller([id, ...terms])));
    this.envelopes.push(envelope);
    const evolved = actors.evolve(envelope, actor, this.changes);
    const { state } = evolved;
    this.startsNothing &&= decider.isFinal(state) && decider.isAwaited?.(before) !== true;
    const own = decider.react?.(envelope, state, this.names, command, before);
    if (own !== undefined) this.follow(own, origin);
    for (const { follower, condition } of others.of(event.type)) {
      if (!meets(condition, envelope, before)) continue;
      this.follow(follower.react(envelope, state, this.names, command, before), origin);
    }
    const isDue = decider.checkpoints !== undefined && actors.checkpoints.isDue(evolved);
    return isDue ? this.checkpoint(actors, command, evolved) : evolved;
  }

  /** What the stream is now is stored beside what made it so. */
  private checkpoint(actors: ActorDirectory, command: Command, actor: Actor): Actor {
    const event = actors.checkpoints.of(command.id, actor.state, actor.firstOffset);
    const envelope = this.envelopeOf(command, actor, ownWork, event, null);
    this.records.push(this.codec.encode(envelope, [command.id]));
    this.envelopes.push(envelope);
    return actors.evolve(envelope, actor, this.changes);
  }

  private envelopeOf(
    { kind, id, at }: Command,
    actor: Actor | undefined,
    by: Principal,
    event: DomainEvent,
    body: Buffer | null,
  ): EventEnvelope {
    return {
      kind,
      id,
      sequence: actor?.length ?? 0,
      at,
      offset: this.firstOffset + this.records.length,
      previous: actor?.lastOffset ?? -1,
      by,
      event,
      body,
      byteLength: body === null ? 0 : body.length,
    };
  }

  private follow(reactions: readonly Command[], origin: Command): void {
    for (const command of reactions) this.reactions.push({ command, origin });
  }

  private withCaller(terms: string[]): string[] {
    for (const term of this.callerTerms) terms.push(term);
    return terms;
  }
}

/** The server's own work for a command that goes back to `origin`. */
function workOf(origin: Command, { kind, id }: Command): Principal {
  const isOwn = origin.kind === kind && origin.id === id;
  return isOwn ? ownWork : workFor(origin.kind, origin.id);
}

function termsOf({ name, seed }: Caller): readonly string[] {
  const terms = name === null ? [] : [principalTerm(name)];
  if (seed !== null) terms.push(seed.term);
  return terms;
}

const noTerms: readonly string[] = [];
