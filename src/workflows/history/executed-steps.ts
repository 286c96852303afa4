/**
 * Finds the steps that the endpoint executed during an attempt to deliver a message of a run: those
 * that it submitted until the attempt ended. Delivering step n runs step n+1 (workflows.md 2).
 */

import type { EventEnvelope } from '../../engine/decider.js';
import type { JournalReader } from '../../engine/reading/journal-around-damage.js';
import type { AttemptRecord } from '../../messaging/messages/message.events.js';
import { messageTerm } from '../../messaging/messages/recorded-events.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import type { RunEvent, StepInfo } from '../run-state/run.events.js';

/**
 * The most events of the run that are examined for one attempt: parallel steps may have thousands.
 */
const examinedMax = 64;

/** A finished attempt to deliver a message of a run. */
export interface EndedAttempt {
  readonly runId: string;
  /** The step that the message delivers. */
  readonly own: StepInfo;
  /** Journal offset of the message's `MessagePublished`. */
  readonly publishedOffset: number;
  readonly end: AttemptRecord;
  /** Journal offset of the attempt's end. */
  readonly endOffset: number;
}

/**
 * The steps that were executed in an attempt, in the order in which they were submitted. Calls
 * `spend` for each event read.
 */
export async function executedSteps(
  journal: JournalReader,
  { runId, own, publishedOffset, end, endOffset: until }: EndedAttempt,
  spend: () => void,
): Promise<readonly StepInfo[]> {
  const events: EventEnvelope<RunEvent>[] = [];
  const from = publishedOffset + 1;
  const terms = [[messageTerm.runId(runId)]];
  let looks = 0;
  for await (const each of journal.query({ terms, from, until, order: 'oldest' })) {
    spend();
    looks += 1;
    if (isRunEvent(each) && each.id === runId) events.push(each);
    if (looks === examinedMax) break;
  }
  return submittedBy(own, events, end.startedAt);
}

/**
 * From the run's events after an entry, selects the steps submitted by the request that delivered
 * this entry, from `startedAt` on (Unix milliseconds). A parallel step is submitted by the request
 * that delivered its plan; the step after the last entry is submitted by the request that delivered
 * that entry. Pure.
 */
export function submittedBy(
  own: StepInfo,
  events: readonly Pick<EventEnvelope<RunEvent>, 'event' | 'at'>[],
  startedAt: number,
): readonly StepInfo[] {
  const planned = own.target;
  const submitted: StepInfo[] = [];
  for (const { event, at } of events) {
    if (event.type === 'WaitEnded' || event.type === 'InvocationEnded') {
      if (planned === null) break;
      continue;
    }
    if (!isSubmission(event)) continue;
    const { step } = event;
    const isBranch = step.target === null && step.concurrent > 1;
    // Another entry is the last one now: the next submission follows that entry.
    if (planned === null && isBranch && step.id !== own.id) break;
    const isOwn = planned === null || step.id === planned;
    if (isOwn && at >= startedAt) submitted.push(step);
  }
  return submitted;
}

type Submission = Extract<
  RunEvent,
  { readonly type: 'StepStored' | 'CallRequested' | 'WaitOpened' | 'StepInvoked' }
>;

function isSubmission(event: RunEvent): event is Submission {
  return submissions.has(event.type);
}

const submissions: ReadonlySet<RunEvent['type']> = new Set([
  'StepStored',
  'CallRequested',
  'WaitOpened',
  'StepInvoked',
]);
