/** Who sees durable events: listeners, each with the kinds of entities whose events it is shown. */
import type { DomainEvent, EventEnvelope } from './decider.js';
import { type AnyInterest, Concern } from './following/interest.js';
import type { IndexMemory } from './registration.js';

/** Sees events once they are durable, in journal order: some, never none. */
export type EventListener<Event extends DomainEvent = DomainEvent> = (
  envelopes: readonly EventEnvelope<Event>[],
) => void;

interface Subscriber {
  readonly kinds: ReadonlySet<string>;
  readonly listener: EventListener;
  readonly interest: AnyInterest | undefined;
  readonly concern: Concern;
}

export class Subscribers {
  /** What those remember that remember anything. */
  readonly memories: IndexMemory[] = [];
  private readonly all: Subscriber[] = [];

  /**
   * `listener` is shown the events of `kinds`, or those of `interest`, and remembers `memory` of
   * them.
   */
  add(
    kinds: readonly string[],
    listener: EventListener,
    interest?: AnyInterest,
    memory: IndexMemory | null = null,
  ): void {
    const concern = new Concern(interest);
    this.all.push({ kinds: new Set(kinds), listener, interest, concern });
    if (memory !== null) this.memories.push(memory);
  }

  /** Shows each listener its events of `envelopes`; one that has none of them is not called. */
  show(envelopes: readonly EventEnvelope[]): void {
    const shown = new Set<string>();
    for (const { kind } of envelopes) shown.add(kind);
    for (const { kinds, listener, interest, concern } of this.all) {
      if (interest?.served?.size === 0) continue;
      const own = ownOf(envelopes, shown, kinds);
      const meant = interest?.types === undefined ? own : concerning(own, interest, concern);
      if (meant.length > 0) listener(meant);
    }
  }
}

/** Those of `kinds`; most commits have events of one kind, and then no list is made. */
function ownOf(
  envelopes: readonly EventEnvelope[],
  shown: ReadonlySet<string>,
  kinds: ReadonlySet<string>,
): readonly EventEnvelope[] {
  let common = 0;
  for (const kind of shown) if (kinds.has(kind)) common += 1;
  if (common === 0) return none;
  return common === shown.size ? envelopes : envelopes.filter(({ kind }) => kinds.has(kind));
}

/**
 * Those that concern a listener. One that follows streams learns of them by the events of its
 * types: where one of these is shown, the later ones of its stream are shown with it.
 */
function concerning(
  envelopes: readonly EventEnvelope[],
  interest: AnyInterest,
  concern: Concern,
): readonly EventEnvelope[] {
  let meant: EventEnvelope[] | null = null;
  const begun = interest.streams === undefined ? null : new Set<string>();
  for (const envelope of envelopes) {
    if (begun?.has(envelope.id) !== true && !concern.isIn(envelope, undefined)) continue;
    begun?.add(envelope.id);
    if (meant === null) meant = [envelope];
    else meant.push(envelope);
  }
  return meant ?? none;
}

const none: readonly EventEnvelope[] = [];
