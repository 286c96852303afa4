/** What the journal says became of every run. */
import type { EventEnvelope } from '../../src/engine/decider.js';
import type { Journal } from '../../src/engine/journal.js';
import {
  initialStep,
  type RunEnd,
  type RunEvent,
  type RunStarted,
  runKind,
} from '../../src/workflows/run.events.js';
import { type MessageHistory, messageHistories } from './messaging-history.js';
import type { StepEntry } from './workflow-interpreter.js';
import type { Program } from './workflow-program.js';

export type Recorded<Event extends RunEvent = RunEvent> = EventEnvelope<Event>;

/** One element of a run's list, by the event that appended it. */
export interface Entry {
  readonly messageId: string;
  readonly event: Recorded;
  /** How the endpoint reads its body; the first one is the payload. */
  readonly body: Buffer;
}

export interface RunHistory {
  readonly id: string;
  readonly program: Program;
  readonly started: Recorded<RunStarted>;
  readonly events: readonly Recorded[];
  /** null = it goes on. */
  readonly end: Recorded<RunEnd> | null;
  /** Where the turn of its end ends: what comes after it comes too late. */
  readonly endsBefore: number;
  readonly entries: readonly Entry[];
  /** Everything that it has published, in order. */
  readonly messages: readonly MessageHistory[];
}

export type RunHistories = ReadonlyMap<string, RunHistory>;

const ends: ReadonlySet<string> = new Set(['RunSucceeded', 'RunFailed', 'RunCanceled']);

export async function runHistories(journal: Journal): Promise<RunHistories> {
  const events = new Map<string, Recorded[]>();
  const endsBefore = new Map<string, number>();
  for await (const envelopes of journal.replay()) {
    for (const envelope of envelopes as Recorded[]) {
      if (envelope.kind !== runKind) continue;
      const { id, event } = envelope;
      events.set(id, [...(events.get(id) ?? []), envelope]);
      if (ends.has(event.type)) endsBefore.set(id, (envelopes.at(-1)?.offset ?? 0) + 1);
    }
  }
  const bodies = new Map([...events.values()].flat().map(({ offset, body }) => [offset, body]));
  const messages = [...(await messageHistories(journal)).values()];
  return new Map(
    [...events].map(([id, own]) => [
      id,
      historyOf(
        own,
        messages.filter(({ published }) => published.event.run?.runId === id),
        endsBefore.get(id) ?? Number.POSITIVE_INFINITY,
        (offset) => bodies.get(offset) ?? null,
      ),
    ]),
  );
}

function historyOf(
  events: readonly Recorded[],
  messages: readonly MessageHistory[],
  endsBefore: number,
  bodyAt: (offset: number) => Buffer | null,
): RunHistory {
  const started = events[0] as Recorded<RunStarted>;
  const program: Program = JSON.parse(started.body?.toString() ?? '');
  const end = events.find(({ event }) => ends.has(event.type)) as Recorded<RunEnd> | undefined;
  const entries = events.flatMap((event) => entryOf(event, events, bodyAt) ?? []);
  return {
    id: started.id,
    program,
    started,
    events,
    end: end ?? null,
    endsBefore,
    entries,
    messages,
  };
}

/** The element that an event appends (messaging protocol 7.9 and 7.11); null = it appends none. */
function entryOf(
  recorded: Recorded,
  events: readonly Recorded[],
  bodyAt: (offset: number) => Buffer | null,
): Entry | null {
  const { event, body } = recorded;
  const entry = (messageId: string, bytes: Buffer | null) => ({
    messageId,
    event: recorded,
    body: bytes ?? Buffer.alloc(0),
  });
  switch (event.type) {
    case 'RunStarted': {
      const takeovers = events.filter((other) => other.event.type === 'RunReconfigured');
      const last = takeovers.at(-1)?.event;
      return entry(last?.type === 'RunReconfigured' ? last.messageId : event.messageId, body);
    }
    case 'StepStored':
      return entry(event.messageId, body);
    case 'WaitEnded': {
      const { step, eventId, isTimeout, notificationOffset, messageId } = event;
      const notified = notificationOffset === null ? body : bodyAt(notificationOffset);
      const out =
        notified === null || notified.length === 0 ? {} : { out: notified.toString('base64') };
      const waited = isTimeout ? { waitTimeout: true } : out;
      return entry(messageId, json({ ...named(step), waitEventId: eventId, ...waited }));
    }
    case 'InvocationEnded': {
      const { step, runId, outcome, endOffset, messageId } = event;
      const out = JSON.stringify({
        workflowRunId: runId,
        ...(outcome === 'succeeded' && { body: bodyAt(endOffset)?.toString() ?? '' }),
        isCanceled: outcome === 'canceled',
        isFailed: outcome === 'failed',
      });
      return entry(messageId, json({ ...named(step), out }));
    }
    default:
      return null;
  }
}

function named({ id, name, type, concurrent } = initialStep) {
  return { stepId: id, stepName: name, stepType: type, concurrent };
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Entries as the endpoint reads them, the payload left out. */
export function stepEntries(entries: readonly Entry[]): readonly StepEntry[] {
  return entries.slice(1).map(({ body }) => JSON.parse(body.toString()));
}
