/** Explains the situation of a message. Pure. */
import type { EndedSituation, MessageSituation, PendingSituation } from './message-situation.js';
import { counted, timeText, type Why } from './why.js';
import { gateReasons, whyGate } from './why-gate.policy.js';

/** All reasons. */
export const messageReasons = [
  'delayed',
  'retry',
  'held_for_answer',
  'in_flight',
  'due',
  ...gateReasons,
  'unreadable',
  'delivered',
  'failed',
  'canceled',
] as const;
/** One of these reasons, for programs. */
export type MessageReason = (typeof messageReasons)[number];

/** The answer of `/v2/messages/{id}/why`, without the id. */
export type MessageWhy = Why<MessageReason>;

/** Explains a situation; `now` is in Unix milliseconds. */
export function whyMessage(situation: MessageSituation, now: number): MessageWhy {
  switch (situation.status) {
    case 'pending':
      return whyPending(situation, now);
    case 'unreadable':
      return unreadable;
    default:
      return whyEnded(situation);
  }
}

const unreadable: MessageWhy = {
  reason: 'unreadable',
  sentence:
    'The message cannot be read, because the disk of the server is damaged, and is not delivered.',
  remedy: 'Restore a backup, or cancel the message. `stepwell journal verify` names the damage.',
};

function whyPending(situation: PendingSituation, now: number): MessageWhy {
  const { progress, notBefore } = situation;
  if (progress !== null) return whyDue(situation, progress);
  if (notBefore > now) return situation.failures === 0 ? delayed(situation) : retry(situation);
  return { reason: 'due', sentence: `${attemptName(situation)} is about to start.` };
}

function delayed({ notBefore: until }: PendingSituation): MessageWhy {
  return { reason: 'delayed', sentence: `It is delayed until ${timeText(until)}.`, until };
}

function retry(situation: PendingSituation): MessageWhy {
  const { notBefore: until } = situation;
  return {
    reason: 'retry',
    sentence:
      `${failureText(situation)}; attempt ${situation.failures + 1} of ` +
      `${situation.maxRetries + 1} starts at ${timeText(until)}.`,
    until,
    remedy: 'It is retried automatically: repair the destination.',
  };
}

function whyDue(
  situation: PendingSituation,
  progress: NonNullable<PendingSituation['progress']>,
): MessageWhy {
  switch (progress.stage) {
    case 'inFlight': {
      const until = progress.startedAt + situation.timeoutMs;
      return {
        reason: 'in_flight',
        sentence:
          `${attemptName(situation)} has been in flight since ${timeText(progress.startedAt)}; ` +
          `${situation.url} has until ${timeText(until)} to answer.`,
        until,
      };
    }
    case 'held':
      return {
        reason: 'held_for_answer',
        sentence:
          'It waits until the delivery of its run that caused it is answered, ' +
          'for at most 250 ms.',
      };
    case 'waiting':
      return whyGate(progress.wait);
  }
}

function whyEnded({ status, at, attempts, responseStatus, dlqId }: EndedSituation): MessageWhy {
  const when = timeText(at);
  switch (status) {
    case 'delivered':
      return {
        reason: status,
        sentence:
          responseStatus === 0
            ? `It was delivered at ${when}.`
            : `It was delivered at ${when}: attempt ${attempts} was answered ${responseStatus}.`,
      };
    case 'failed':
      return {
        reason: status,
        sentence:
          `It failed for good at ${when}, after ${counted(attempts, 'attempt')}; the last one ` +
          `${responseStatus === 0 ? 'had no answer' : `was answered ${responseStatus}`}.`,
        ...(dlqId !== null && { remedy: `POST /v2/dlq/retry/${dlqId} retries it.` }),
      };
    case 'canceled':
      return { reason: status, sentence: `It was canceled at ${when}.` };
  }
}

function attemptName({ failures, maxRetries }: PendingSituation): string {
  return `Attempt ${failures + 1} of ${maxRetries + 1}`;
}

function failureText({ failures, lastFailure }: PendingSituation): string {
  if (lastFailure === null) return `Attempt ${failures} failed`;
  const { status, error, startedAt } = lastFailure;
  const how = error ?? `the answer was ${status}`;
  return `Attempt ${failures} of ${timeText(startedAt)} failed: ${how}`;
}
