/**
 * Which steps the endpoint has executed in an attempt that delivered something of its run: those
 * that it submitted until the attempt's end. Delivering step n runs step n+1 (workflows.md 2).
 */

import type { EventEnvelope } from '../../engine/decider.js';
import type { JournalReader } from '../../engine/reading/journal-around-damage.js';
import type { AttemptRecord } from '../../messaging/messages/message.events.js';
import { messageTerm } from '../../messaging/messages/recorded-events.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import type { RunEvent, StepInfo } from '../run-state/run.events.js';

/** Events of the run that are looked at for one attempt: parallel steps may have thousands. */
const looksMax = 64;

/** An attempt that has ended to deliver a message of a run. */
export interface EndedAttempt {
  readonly runId: string;
  /** What the message is about. */
  readonly own: StepInfo;
  /** Where the journal has the publish of the message. */
  readonly publishedOffset: number;
  readonly end: AttemptRecord;
  /** Where the journal has its end. */
  readonly endOffset: number;
}

/**
 * The steps that were executed in an attempt, in the order in which they were submitted. `spend` is
 * called for every event that has to be read.
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
    if (looks === looksMax) break;
  }
  return submittedBy(own, events, end.startedAt);
}

/**
 * Of the events of a run behind an entry, the submissions of the endpoint that got the entry, from
 * `startedAt` on (Unix milliseconds). Of parallel steps each is submitted by the one who got its
 * plan, and what follows the last entry by the one who got that. Pure.
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
    // Another entry is the last one now: what is submitted next follows that one.
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
