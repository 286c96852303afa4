/** What the journal says became of every run. */
import type { EventEnvelope } from '../../../src/engine/decider.js';
import { initialStep } from '../../../src/workflows/run-state/known-steps.js';
import {
  type RunEnd,
  type RunEvent,
  type RunStarted,
  runKind,
} from '../../../src/workflows/run-state/run.events.js';
import { type MessageHistory, messageHistories } from '../messaging/messaging-history.js';
import type { Turns } from '../past.js';
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

export async function runHistories(past: Turns): Promise<RunHistories> {
  const events = new Map<string, Recorded[]>();
  const endsBefore = new Map<string, number>();
  for await (const envelopes of past.replay()) {
    for (const envelope of envelopes as Recorded[]) {
      if (envelope.kind !== runKind) continue;
      const { id, event } = envelope;
      events.set(id, [...(events.get(id) ?? []), envelope]);
      if (ends.has(event.type)) endsBefore.set(id, (envelopes.at(-1)?.offset ?? 0) + 1);
    }
  }
  const places = new Map([...events.values()].flat().map((event) => [event.offset, event]));
  const recordedAt = (offset: number) => {
    const recorded = places.get(offset);
    if (recorded === undefined) throw new Error(`no event of a run stands at ${offset}`);
    return recorded;
  };
  const messages = [...(await messageHistories(past)).values()];
  return new Map(
    [...events].map(([id, own]) => [
      id,
      historyOf(
        own,
        messages.filter(({ published }) => published.event.run?.runId === id),
        endsBefore.get(id) ?? Number.POSITIVE_INFINITY,
        recordedAt,
      ),
    ]),
  );
}

type RecordedAt = (offset: number) => Recorded;

function historyOf(
  events: readonly Recorded[],
  messages: readonly MessageHistory[],
  endsBefore: number,
  recordedAt: RecordedAt,
): RunHistory {
  const started = events[0] as Recorded<RunStarted>;
  const program: Program = JSON.parse(bodyOf(started, recordedAt)?.toString() ?? '');
  const end = events.find(({ event }) => ends.has(event.type)) as Recorded<RunEnd> | undefined;
  return {
    id: started.id,
    program,
    started,
    events,
    end: end ?? null,
    endsBefore,
    entries: entriesOf(started, events, recordedAt),
    messages,
  };
}

/** What it has inherited, or its payload, and what its own events have appended to that. */
function entriesOf(
  started: Recorded<RunStarted>,
  [, ...later]: readonly Recorded[],
  recordedAt: RecordedAt,
): readonly Entry[] {
  const { messageId, inherited } = started.event;
  const entry = (name: string, event: Recorded): readonly Entry[] => {
    const body = bodyOf(event, recordedAt);
    return body === null ? [] : [{ messageId: name, event, body }];
  };
  const first = inherited?.entries.flatMap((each) =>
    entry(each.messageId, recordedAt(each.offset)),
  );
  const [initial, ...others] = [
    ...(first ?? entry(messageId, started)),
    ...later.flatMap((event) =>
      'messageId' in event.event ? entry(event.event.messageId, event) : [],
    ),
  ];
  if (initial === undefined) throw new Error(`${started.id} has no entries`);
  const takeovers = later.flatMap(({ event }) => (event.type === 'RunReconfigured' ? [event] : []));
  return [{ ...initial, messageId: takeovers.at(-1)?.messageId ?? initial.messageId }, ...others];
}

/** The element that an event appends (workflows.md 3.4 and 3.6); null = it appends none. */
function bodyOf({ event, body }: Recorded, recordedAt: RecordedAt): Buffer | null {
  switch (event.type) {
    case 'RunStarted':
      return event.payloadOffset === null ? body : recordedAt(event.payloadOffset).body;
    case 'StepStored':
      return body;
    case 'WaitEnded': {
      const { step, eventId, isTimeout, notificationOffset } = event;
      const notified = notificationOffset === null ? body : recordedAt(notificationOffset).body;
      const out =
        notified === null || notified.length === 0 ? {} : { out: notified.toString('base64') };
      const waited = isTimeout ? { waitTimeout: true } : out;
      return json({ ...named(step), waitEventId: eventId, ...waited });
    }
    case 'InvocationEnded': {
      const { step, runId, outcome, endOffset } = event;
      const out = JSON.stringify({
        workflowRunId: runId,
        ...(outcome === 'succeeded' && { body: recordedAt(endOffset).body?.toString() ?? '' }),
        isCanceled: outcome === 'canceled',
        isFailed: outcome === 'failed',
      });
      return json({ ...named(step), out });
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
