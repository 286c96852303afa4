/**
 * The runs that failed and were not removed since, with the states of their failure callbacks: a
 * fold of the events of runs, of their messages and of the letters. Memory holds where a failed run
 * is found; the journal holds its content (workflows.md 6.1).
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { LetterIndex, PlacedLetter } from '../../messaging/dead-letters/letter-index.js';
import { deadLetterId } from '../../messaging/messages/dead-letter-id.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';
import type { CallbackState } from '../run-state/callback-state.js';
import type { RunContext } from '../run-state/run.context.js';
import type { RunEvent } from '../run-state/run.events.js';
import type { Runs } from '../runs/run.entity.js';
import type { FailedRunEvent } from './failed-run.events.js';

/** The latest message that calls the failure callback. */
export interface ReportedFailure {
  readonly state: CallbackState;
  readonly messageId: string;
  /** Journal offset of its `MessagePublished`. */
  readonly publishedOffset: number;
  /** Journal offset of the message's last attempt; null = it is in progress, or was canceled. */
  readonly attemptOffset: number | null;
}

/** When a run started, and where the journal holds its start and configuration. */
type RunOrigin = Pick<
  RunContext,
  'createdAt' | 'startedOffset' | 'configurationOffset' | 'failureCallbackOffset'
>;

/** A run that failed. */
export interface FailedRun extends PlacedLetter, RunOrigin {
  readonly runId: string;
  /** null = the failure called no callback. */
  readonly callback: ReportedFailure | null;
}

const ends = {
  MessageDelivered: 'CALLBACK_SUCCESS',
  MessageFailed: 'CALLBACK_FAIL',
  MessageCanceled: 'CALLBACK_CANCELED',
} as const;

/** Keeps the letters of failed runs up to date with the events. */
export class FailedRunLetters implements Fold<RunEvent | MessageEvent | FailedRunEvent> {
  /** Failure callbacks in progress: message id to dlqId. */
  private readonly callbacks = new Map<string, string>();
  readonly interest: Interest<RunEvent | MessageEvent | FailedRunEvent> = {
    types: {
      RunFailed: true,
      FailedRunDeleted: true,
      FailedRunResumed: true,
      FailedRunRestarted: true,
      MessagePublished: ['callbackOf'],
    },
    streams: [this.callbacks],
  };
  readonly memory: FoldMemory;

  /** A run is still active while its last event is folded. */
  constructor(
    private readonly letters: LetterIndex<FailedRun>,
    private readonly runs: Pick<Runs, 'active'>,
  ) {
    this.memory = letters.memory('failed runs', { callbacks: this.callbacks });
  }

  /** For each letter, the failure and the latest message that calls its failure callback. */
  *references(at: number): Generator<number> {
    yield* this.letters.references(at);
    for (const { callback } of this.letters.all(at)) {
      if (callback !== null) yield callback.publishedOffset;
    }
  }

  evolve(
    envelope: EventEnvelope<RunEvent | MessageEvent | FailedRunEvent>,
    changes: TurnChanges,
  ): void {
    const { event } = envelope;
    switch (event.type) {
      case 'RunFailed':
        this.add(envelope, changes);
        return;
      case 'FailedRunDeleted':
      case 'FailedRunResumed':
      case 'FailedRunRestarted':
        this.letters.take(envelope.id, changes);
        return;
      case 'MessagePublished': {
        const dlqId = event.callbackOf?.dlqId ?? null;
        if (event.run?.role === 'failureCallback' && dlqId !== null) {
          this.beginCallback(envelope, dlqId, changes);
        }
        return;
      }
      case 'MessageDelivered':
      case 'MessageFailed':
      case 'MessageCanceled':
        this.endCallback(envelope, ends[event.type], changes);
    }
  }

  private add(envelope: EventEnvelope, changes: TurnChanges): void {
    const { id: runId, at, offset } = envelope;
    const run = this.runs.active(runId);
    if (run === undefined) throw new Error(`${runId} failed but was not active`);
    const { createdAt, startedOffset, configurationOffset, failureCallbackOffset } = run;
    const letter: FailedRun = {
      id: deadLetterId(envelope),
      at,
      offset,
      runId,
      createdAt,
      startedOffset,
      configurationOffset,
      failureCallbackOffset,
      callback: null,
    };
    this.letters.add(letter, changes);
  }

  private beginCallback(
    { id: messageId, offset: publishedOffset }: EventEnvelope,
    dlqId: string,
    changes: TurnChanges,
  ): void {
    const state = 'CALLBACK_INPROGRESS';
    const callback: ReportedFailure = { state, messageId, publishedOffset, attemptOffset: null };
    changes.set(this.callbacks, messageId, dlqId);
    this.letters.change(dlqId, (run) => ({ ...run, callback }), changes);
  }

  /** Has no effect on a letter that was removed meanwhile. */
  private endCallback(
    { id: messageId, offset }: EventEnvelope,
    state: CallbackState,
    changes: TurnChanges,
  ): void {
    const dlqId = this.callbacks.get(messageId);
    if (dlqId === undefined) return;
    changes.delete(this.callbacks, messageId);
    const attemptOffset = state === 'CALLBACK_CANCELED' ? null : offset;
    const ended = ({ callback, ...run }: FailedRun): FailedRun => ({
      ...run,
      callback: callback === null ? null : { ...callback, state, attemptOffset },
    });
    this.letters.change(dlqId, ended, changes);
  }
}
