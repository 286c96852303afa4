/** Formats what happened to a message or a run as one line of the log. Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import { deadLetterId } from '../../messaging/messages/dead-letter-id.js';
import type {
  AttemptRecord,
  MessageEvent,
  MessagePublished,
} from '../../messaging/messages/message.events.js';
import { isRunEnd } from '../../workflows/history/run-log-entry.js';
import { isRunEvent } from '../../workflows/run-state/recorded-events.js';
import type { RunEnd, RunStarted } from '../../workflows/run-state/run.events.js';
import { endNames } from '../../workflows/run-state/run-state-name.policy.js';

/** The first event of a message or run; null if it is no longer in the journal. */
export type Beginning<Began extends MessagePublished | RunStarted> = EventEnvelope<Began> | null;

const messageTypes: ReadonlySet<string> = new Set<MessageEvent['type']>([
  'MessageDelivered',
  'AttemptFailed',
  'MessageFailed',
  'MessageCompleted',
  'MessageCanceled',
]);

/** Whether an event is a failed attempt, or the final state of a message or a run. */
export function isShown(envelope: EventEnvelope): boolean {
  if (isRunEvent(envelope)) return isRunEnd(envelope);
  return messageTypes.has(envelope.event.type);
}

/** `delivered POST http://a.test/x 200 in 12 ms (msg_1)`. */
export function messageLine(
  envelope: EventEnvelope<MessageEvent>,
  published: Beginning<MessagePublished>,
): string {
  const call = published === null ? '?' : `${published.event.method} ${place(published.event.url)}`;
  return `${messageEnd(envelope, call, published?.event)} (${envelope.id})`;
}

/** `run succeeded http://a.test/workflow in 3.2 s (wfr_1)`. */
export function runLine(
  { id, at, event }: EventEnvelope<RunEnd>,
  started: Beginning<RunStarted>,
): string {
  const url = started === null ? '?' : place(started.event.configuration.url);
  const after = started === null ? '' : ` after ${span(at - started.at)}`;
  const end = endNames[event.type];
  const cause = event.type === 'RunFailed' ? `, ${causes[event.cause]}` : '';
  return `run ${end} ${url}${after}${cause} (${id})`;
}

const causes = {
  exhausted: 'its retries are exhausted',
  non_retryable: 'its endpoint refused to be called again',
  stalled: 'its endpoint submitted nothing more',
};

function messageEnd(
  envelope: EventEnvelope<MessageEvent>,
  call: string,
  published: MessagePublished | undefined,
): string {
  const { event, at } = envelope;
  switch (event.type) {
    case 'MessageDelivered':
      return `delivered ${call} ${answer(event)}`;
    case 'AttemptFailed':
      return `retrying ${call} ${answer(event)}, next in ${span(event.retryAt - at)}`;
    case 'MessageFailed': {
      // A message that fails in a run gets no dead letter of its own: the run fails.
      const letter = published?.run === null ? `, dead letter ${deadLetterId(envelope)}` : '';
      const attempts = event.attempt === 0 ? '' : ` after ${event.attempt + 1} attempts`;
      return `failed ${call} ${answer(event)}${attempts}${letter}`;
    }
    case 'MessageCompleted':
      return `completed ${call} with its run`;
    default:
      return `canceled ${call}`;
  }
}

function answer({ status, error, durationMs }: AttemptRecord): string {
  const time = `in ${span(durationMs)}`;
  const reason = error === null ? '' : `: ${error}`;
  return `${status === 0 ? time : `${status} ${time}`}${reason}`;
}

/** The URL without parts that may hold a secret: query, user and password. */
function place(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : '?';
}

/** Milliseconds as `12 ms`, `3.2 s`, `5 min` or `2 h`. */
function span(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}
