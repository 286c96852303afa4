/**
 * One turn being decided: commands in, records out, memory changed under an overlay. Nothing here
 * waits, and nothing leaves this class before the whole turn is decided.
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

/** The outcome of one command. */
export type Outcome<Answer = unknown> = Result<Answer>;

/** The reaction of another feature to the events of a kind that concern it, or to all of them. */
export interface FollowingReaction {
  readonly react: Reaction;
  readonly interest: AnyInterest | undefined;
}

/** The outcome of each of several commands, in their order. */
export type Outcomes<Commands extends readonly Command[]> = {
  readonly [Index in keyof Commands]: Outcome<ResultOf<Commands[Index]>>;
};

/** Refuses a command only because another command of its turn was refused, with that refusal. */
export class RefusalOfAnother extends Refusal {
  /** The refusal for the commands that go together with one that was refused like this. */
  static than({ code, message, headers, details }: Refusal): RefusalOfAnother {
    return new RefusalOfAnother(code, message, headers, details);
  }
}

/** One kind of entity as the engine holds it. */
export interface RegisteredKind {
  readonly registration: AnyRegistration;
  readonly actors: ActorDirectory;
  /** Reactions of other features. */
  readonly reactions: Followers<FollowingReaction>;
}

/** A reaction whose command was refused by its decider: dropped, never half applied. */
export interface RefusedReaction {
  readonly command: Command;
  readonly refusal: Refusal;
}

/** What the engine reports to the component that watches over it. */
export interface EngineWatch {
  /** A defect: a decider threw. Memory and journal are untouched. */
  turnFailed(error: unknown, commands: readonly Command[]): void;
  reactionRefused(refused: RefusedReaction): void;
}

/** A command, and the command of the turn that led to it. */
interface Caused {
  readonly command: Command;
  readonly origin: Command;
}

/**
 * Made by `Engine` for one `dispatch`. An error thrown by `run` is a defect: the engine then
 * reverts the changes and appends nothing.
 */
export class Turn {
  readonly records: RecordInput[] = [];
  readonly envelopes: EventEnvelope[] = [];
  readonly refusedReactions: RefusedReaction[] = [];
  /** Every stream that the turn changed is final and not awaited: nothing starts because of it. */
  startsNothing = true;
  private readonly reactions: Caused[] = [];
  /** Index terms of the request that caused the turn: its credential, and its seed. */
  private readonly callerTerms: readonly string[];

  /**
   * `firstOffset` is where the journal will put the first event of this turn. `by` is who caused
   * all of it; null = the server, which acts for the stream of each command.
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

  /** Decides every command, then every reaction to the events, in order. */
  run(commands: readonly Command[]): Outcome[] {
    const outcomes = commands.map((command) => this.decide({ command, origin: command }));
    // Reactions that these cause in turn are appended to the list.
    for (const reaction of this.reactions) {
      const outcome = this.decide(reaction);
      if (outcome.ok) continue;
      this.refusedReactions.push({ command: reaction.command, refusal: outcome });
    }
    return outcomes;
  }

  /** The outcomes of commands that go together: all refused if one is; undefined = none is. */
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

  /** Stores what the stream is now, right behind the event that made it due. */
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

/** The server's own work, for a command that `origin` led to. */
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
