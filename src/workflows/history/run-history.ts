/**
 * The history of one run, folded from its events and those of its messages, oldest first. The run's
 * object in the listing of runs is made from it. It needs nothing but those events.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Published } from '../../messaging/logs/published-messages.js';
import type {
  AttemptFailed,
  MessageDelivered,
  MessageEvent,
  MessageFailed,
} from '../../messaging/messages/message.events.js';
import { isMessageEvent } from '../../messaging/messages/recorded-events.js';
import { initialStep } from '../run-state/known-steps.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import {
  type InvocationEnded,
  type Invoker,
  type RunConfiguration,
  type RunEnd,
  type RunEvent,
  type StepInfo,
} from '../run-state/run.events.js';
import { evolveRun, initialRun, type RunState } from '../run-state/run.machine.js';
import type { OpenMessage } from '../run-state/run-state-name.policy.js';
import type { Started } from './logged-runs.js';
import { isRunEnd } from './run-log-entry.js';

/** An element of the run's list. */
export interface HistoryEntry {
  readonly step: StepInfo;
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly offset: number;
  /** The delivered body; for the first entry, the payload. */
  readonly body: Buffer | null;
  /** When the result was replaced, Unix milliseconds; absent = the result is the endpoint's own. */
  readonly editedAt?: number;
}

/** The recorded end of an attempt; the response is stored with the event. */
export type Attempted = EventEnvelope<AttemptFailed | MessageFailed | MessageDelivered>;

/** A message of the run with its attempts and outcome. */
export interface HistoryMessage {
  readonly published: Published;
  readonly status: 'pending' | 'delivered' | 'failed' | 'canceled';
  /** The earliest time of the next attempt, Unix milliseconds. */
  readonly notBefore: number;
  readonly failures: readonly Attempted[];
  /** null = no attempt has ended. */
  readonly last: Attempted | null;
  /** When the message became final, Unix milliseconds; null = it is not final. */
  readonly endedAt: number | null;
}

interface AnyOpening {
  readonly step: StepInfo;
  /** Unix milliseconds. */
  readonly at: number;
  readonly offset: number;
}

/** A call to a third party. */
export interface CallOpening extends AnyOpening {
  readonly kind: 'call';
  /** The message to the third party. */
  readonly messageId: string;
}

/** A wait for an event. */
export interface WaitOpening extends AnyOpening {
  readonly kind: 'wait';
  readonly messageId: null;
  readonly eventId: string;
  /** null = the wait was inherited from another run, which opened it. */
  readonly timeout: string | null;
  /** Unix milliseconds. */
  readonly deadline: number;
}

/** An invocation of another run. */
export interface Invocation extends AnyOpening {
  readonly kind: 'invocation';
  readonly runId: string;
  /**
   * The first message of the invoked run; it identifies the run, since other runs may have had the
   * same id before or since.
   */
  readonly messageId: string;
}

/** A step that has begun, and becomes an entry of the list only when it ends. */
export type Opening = CallOpening | WaitOpening | Invocation;

/** An invoked run. */
export interface ChildRun {
  readonly started: Started;
  readonly payload: Buffer | null;
  /** null = the run has not ended. */
  readonly end: { readonly outcome: InvocationEnded['outcome']; readonly at: number } | null;
  readonly returned: Buffer | null;
}

/** The most bytes of a response that are shown (ADR 24). */
const responseBytesMax = 64 * 1024;

/**
 * Created for each request. Events must be added in the order of the journal. It keeps copies of
 * bodies, because the bodies of a read are views of larger buffers.
 */
export class RunHistory {
  readonly entries: HistoryEntry[];
  readonly openings: Opening[] = [];
  readonly messages = new Map<string, HistoryMessage>();
  configuration: RunConfiguration;
  /** The state of the run's machine. */
  state: RunState;
  end: EventEnvelope<RunEnd> | null = null;
  private hasNamesake = false;

  /**
   * `inherited` are the entries that a resumed run started with; other runs start with the payload.
   */
  constructor(
    readonly started: Started,
    payload: Buffer | null,
    inherited: readonly HistoryEntry[],
  ) {
    const { event, at, offset } = started;
    this.configuration = event.configuration;
    this.state = evolveRun(initialRun(), event, started);
    const { messageId } = event;
    const initial = { step: initialStep, messageId, at, offset, body: copyOf(payload) };
    this.entries = event.inherited === null ? [initial] : inOrder(inherited);
    for (const call of event.inherited?.calls ?? []) {
      this.openings.push({ kind: 'call', ...call, at, offset });
    }
    for (const { step, eventId, deadline } of event.inherited?.waits ?? []) {
      const wait = { kind: 'wait', step, eventId, deadline, timeout: null } as const;
      this.openings.push({ ...wait, at, offset, messageId: null });
    }
    for (const { step, runId, messageId: id } of event.inherited?.invocations ?? []) {
      this.openings.push({ kind: 'invocation', step, runId, at, offset, messageId: id });
    }
  }

  /**
   * Adds an event. `body` is the body of the entry that a run's event appends, or of the call that
   * a message makes; otherwise the bytes stored with the event. Events of other runs are ignored.
   */
  add(envelope: EventEnvelope, body: Buffer | null): void {
    if (isMessageEvent(envelope)) this.addOfMessage(envelope, body);
    else if (isRunEvent(envelope) && envelope.id === this.started.id) this.addOfRun(envelope, body);
  }

  /** The run that waits for this one's end. */
  get invoker(): Invoker | null {
    return this.state.context.invoker;
  }

  /** Messages that are not final. */
  openMessages(): readonly OpenMessage[] {
    return [...this.messages.values()].flatMap(({ status, published, notBefore, failures }) => {
      const { run } = published.event;
      if (status !== 'pending' || run === null) return [];
      return [{ role: run.role, notBefore, failures: failures.length }];
    });
  }

  private addOfRun(envelope: EventEnvelope<RunEvent>, body: Buffer | null): void {
    const { event, at, offset } = envelope;
    if (offset <= this.started.offset || this.hasNamesake) return;
    this.state = evolveRun(this.state, event, envelope);
    switch (event.type) {
      case 'RunStarted':
        this.hasNamesake = true;
        return;
      case 'RunReconfigured': {
        this.configuration = event.configuration;
        const [initial] = this.entries;
        if (initial !== undefined) this.entries[0] = { ...initial, messageId: event.messageId };
        return;
      }
      case 'StepStored':
      case 'WaitEnded':
      case 'InvocationEnded': {
        const { step, messageId } = event;
        this.entries.push({ step, messageId, at, offset, body: copyOf(body) });
        return;
      }
      case 'StepEdited': {
        const entry = this.entries[event.place];
        if (entry === undefined) return;
        this.entries[event.place] = { ...entry, body: copyOf(body), editedAt: at };
        return;
      }
      case 'CallRequested':
        this.openings.push({ kind: 'call', ...event, at, offset });
        return;
      case 'WaitOpened':
        this.openings.push({ kind: 'wait', ...event, at, offset, messageId: null });
        return;
      case 'StepInvoked':
        this.openings.push({ kind: 'invocation', ...event, at, offset });
        return;
      default:
        if (isRunEnd(envelope)) this.end = { ...envelope, body: copyOf(envelope.body) };
    }
  }

  private addOfMessage(envelope: EventEnvelope<MessageEvent>, body: Buffer | null): void {
    const { event, id, at } = envelope;
    if (event.type === 'MessagePublished') {
      this.publish({ ...envelope, event, body: copyOf(body) });
      return;
    }
    const message = this.messages.get(id);
    if (message !== undefined) this.messages.set(id, evolved(message, envelope, at));
  }

  private publish(published: Published): void {
    const { event, id } = published;
    if (event.run?.startedOffset !== this.started.offset) return;
    this.messages.set(id, {
      published,
      status: 'pending',
      notBefore: event.notBefore,
      failures: [],
      last: null,
      endedAt: null,
    });
  }
}

/**
 * A replaced entry has a higher offset than the entries that follow it: it gets the offset of the
 * entry after it.
 */
function inOrder(inherited: readonly HistoryEntry[]): HistoryEntry[] {
  let next = Number.POSITIVE_INFINITY;
  return inherited
    .toReversed()
    .map((entry) => {
      next = Math.min(next, entry.offset);
      return { ...entry, offset: next };
    })
    .reverse();
}

function evolved(
  message: HistoryMessage,
  envelope: EventEnvelope<MessageEvent>,
  at: number,
): HistoryMessage {
  const { event } = envelope;
  switch (event.type) {
    case 'MessagePublished':
      return message;
    case 'AttemptFailed': {
      const last = attempted(envelope, event);
      const failures = [...message.failures, last];
      return { ...message, failures, last, notBefore: event.retryAt };
    }
    case 'MessageRescheduled':
      return { ...message, notBefore: event.notBefore };
    case 'MessageFailed': {
      const last = attempted(envelope, event);
      const failures = [...message.failures, last];
      return { ...message, failures, last, status: 'failed', endedAt: at };
    }
    case 'MessageDelivered':
      return {
        ...message,
        last: attempted(envelope, event),
        status: 'delivered',
        endedAt: at,
      };
    case 'MessageCompleted':
      return { ...message, status: 'delivered', endedAt: at };
    case 'MessageCanceled':
      return { ...message, status: 'canceled', endedAt: at };
  }
}

function attempted(envelope: EventEnvelope, event: Attempted['event']): Attempted {
  return { ...envelope, event, body: copyOf(envelope.body?.subarray(0, responseBytesMax) ?? null) };
}

/**
 * Copies bytes, because they are a view of the whole buffer that was read, which would be retained.
 */
function copyOf(bytes: Buffer | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes);
}
