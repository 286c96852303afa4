/** One entity at a moment in the past: its events up to an offset, folded by its decider. */
import { ActorDirectory } from '../../engine/actor-directory.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Journal } from '../../engine/journal.js';
import { PreImages } from '../../engine/resting/pre-images.js';
import { valueIn } from '../../engine/resting/stored-form.js';
import { shippedStreamSizes } from '../../engine/resting/stream-sizes.js';
import { TurnChanges } from '../../engine/turn-changes.js';
import { Refusal } from '../../grammar/result.js';
import type { EventRedactions } from './event-redactions.js';
import { shownState } from './shown-fields.js';

/** How many events are folded for one answer. */
const eventsMax = 100_000;

const past = new TurnChanges(false);

/** An entity at a moment. */
export interface EntityMoment {
  readonly kind: string;
  readonly id: string;
  /** All of its events are below this offset. */
  readonly until: number;
  readonly events: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly lastType: string;
  /** Whether its life has ended. */
  readonly hasEnded: boolean;
  /** The state that results from its events, without redacted parts; null once it has ended. */
  readonly state: unknown;
}

/**
 * The entity `<kind>/<id>` as it was before `until`; without `redactions`, all of it. Refuses if it
 * did not exist by then (404), if the journal does not hold its beginning (422), or if it has too
 * many events (422).
 */
export async function entityAt(
  engine: Engine,
  journal: Journal,
  redactions: EventRedactions | null,
  stream: string,
  until: number,
): Promise<EntityMoment | Refusal> {
  const slash = stream.indexOf('/');
  const [kind, id] = [stream.slice(0, slash), stream.slice(slash + 1)];
  if (!engine.kinds.includes(kind)) return new Refusal('not_found', `no kind of entity ${kind}`);
  const { decider } = engine.actors(kind);
  const actors = new ActorDirectory(decider, [], {
    ...shippedStreamSizes,
    liveStates: 1,
    seed: 0,
    images: new PreImages(),
    woken: () => undefined,
  });
  let [events, first, last]: [number, EventEnvelope | null, EventEnvelope | null] = [0, null, null];
  for await (const envelope of journal.find(id, journal.startOffset, until)) {
    if (envelope.kind !== kind) continue;
    last = envelope;
    if (!actors.replay(envelope, past)) continue;
    if (events === eventsMax) return tooLong(stream);
    // A name can have a new life after one has ended, and then starts again.
    if (envelope.sequence === 0) [events, first] = [0, envelope];
    first ??= envelope;
    events += 1;
  }
  if (last === null) return new Refusal('not_found', `there was no ${stream} before ${until}`);
  if (first === null) return gone(stream, until);
  const [stored] = actors.stored();
  const state = stored === undefined ? null : plain(valueIn(stored.bytes));
  const hidden = (await redactions?.of(first)) ?? null;
  return {
    kind,
    id,
    until,
    events,
    firstAt: first.at,
    lastAt: last.at,
    lastType: last.event.type,
    hasEnded: stored === undefined,
    state: state === null ? null : shownState(asFields(state), hidden),
  };
}

function gone(stream: string, until: number): Refusal {
  const message = `the journal does not hold the beginning of ${stream} before offset ${until}`;
  return new Refusal('unprocessable', `${message}: it was swept`);
}

function tooLong(stream: string): Refusal {
  return new Refusal('unprocessable', `${stream} has more than ${eventsMax} events`);
}

/** A state as fields: a state that is not an object becomes the field `state`. */
export function asFields(state: unknown): Record<string, unknown> {
  const isList = Array.isArray(state);
  return typeof state === 'object' && state !== null && !isList ? { ...state } : { state };
}

/** A stored state in values that JSON can express: maps by their keys, bytes by their number. */
export function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  }
  if (value instanceof Set || Array.isArray(value)) return [...value].map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}
