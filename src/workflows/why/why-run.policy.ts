/** Explains why a run waits or how it ended. Pure. */
import { counted, timeText, type Why } from '../../messaging/why/why.js';
import {
  type MessageReason,
  messageReasons,
  whyMessage,
} from '../../messaging/why/why-message.policy.js';
import type { RunStateName } from '../run-state/run-state-name.policy.js';
import type { EndedRunSituation, OpenBranch, RunSituation } from './run-situation.js';

/** All reasons: those of its messages, and its own. */
export const runReasons = [
  ...messageReasons,
  'invocation',
  'event',
  'sleep',
  'stalled',
  'succeeded',
] as const;
/**
 * Why a run waits, or how it ended, as a machine-readable word. A run that waits for a message has
 * the reason of that message.
 */
export type RunReason = MessageReason | 'invocation' | 'event' | 'sleep' | 'stalled' | 'succeeded';

/** One thing that a run waits for, with the name of its step. */
export interface RunWait extends Why<RunReason> {
  readonly stepName: string;
  readonly messageId?: string;
  readonly workflowRunId?: string;
  readonly eventId?: string;
}

/** The answer of `/v2/workflows/runs/{id}/why`, without the id. */
export interface RunWhy extends Why<RunReason> {
  readonly state: RunStateName;
  /** What the run waits for, the most pressing first; empty if it has ended. */
  readonly waits: readonly RunWait[];
}

/** Explains a situation; `now` in Unix milliseconds. */
export function whyRun(situation: RunSituation, now: number): RunWhy {
  if (situation.status !== 'active') {
    return { ...whyEnded(situation), state: situation.status, waits: [] };
  }
  const { state, branches, open } = situation;
  const pressing = [...branches].sort((one, other) => rankOf(one) - rankOf(other));
  const waits = pressing.map((branch) => waitOf(branch, now));
  const [first] = waits;
  if (first === undefined) return { ...nothingOpen, state, waits };
  const { reason, sentence, until, remedy } = first;
  const also =
    open > 1
      ? ` ${counted(open - 1, 'other step')} of it ${open === 2 ? 'is' : 'are'} open too.`
      : '';
  return {
    state,
    reason,
    sentence: `${sentence}${also}`,
    ...(until !== undefined && { until }),
    ...(remedy !== undefined && { remedy }),
    waits,
  };
}

/** Kinds by urgency: what is about to happen first, what is far ahead last. */
const order: readonly OpenBranch['kind'][] = ['delivery', 'call', 'invocation', 'event', 'sleep'];

function rankOf({ kind }: OpenBranch): number {
  return order.indexOf(kind);
}

const nothingOpen = {
  reason: 'stalled',
  sentence: 'It has no open delivery, call, wait or child run.',
  remedy: 'Cancel it and start it again.',
} as const;

function waitOf(branch: OpenBranch, now: number): RunWait {
  const { stepName } = branch;
  switch (branch.kind) {
    case 'delivery':
    case 'call': {
      const { messageId, message } = branch;
      const why = whyMessage(message, now);
      const what =
        branch.kind === 'call'
          ? `Step "${stepName}" calls a third party.`
          : `The endpoint is called with the result of step "${stepName}".`;
      return { ...why, sentence: `${what} ${why.sentence}`, stepName, messageId };
    }
    case 'invocation': {
      const { runId: workflowRunId } = branch;
      return {
        reason: 'invocation',
        sentence: `Step "${stepName}" waits for the end of run ${workflowRunId}.`,
        remedy: `GET /v2/workflows/runs/${inPath(workflowRunId)}/why says what that run waits for.`,
        stepName,
        workflowRunId,
      };
    }
    case 'event': {
      const { eventId, deadline: until } = branch;
      return {
        reason: 'event',
        sentence: `Step "${stepName}" waits for event ${eventId} until ${timeText(until)}.`,
        until,
        remedy: `POST /v2/notify/${inPath(eventId)}`,
        stepName,
        eventId,
      };
    }
    case 'sleep': {
      const { until } = branch;
      const sentence = `Step "${stepName}" sleeps until ${timeText(until)}.`;
      return { reason: 'sleep', sentence, until, stepName };
    }
  }
}

/**
 * Names may contain blanks, slashes and question marks, so they are encoded for a path that a user
 * copies.
 */
const inPath = encodeURIComponent;

function whyEnded({ status, at, cause, dlqId }: EndedRunSituation): Why<RunReason> {
  const when = timeText(at);
  switch (status) {
    case 'succeeded':
      return { reason: status, sentence: `It succeeded at ${when}.` };
    case 'canceled':
      return { reason: status, sentence: `It was canceled at ${when}.` };
    case 'failed':
      return {
        reason: status,
        sentence: `It failed at ${when}: ${causes[cause ?? 'exhausted']}.`,
        ...(dlqId !== null && {
          remedy: `POST /v2/workflows/dlq/resume/${dlqId} continues after its last step.`,
        }),
      };
  }
}

const causes = {
  exhausted: 'every attempt to call its endpoint failed',
  non_retryable: 'its endpoint refused any further attempt',
  stalled: 'its endpoint answered without a new step, and the run had nothing else open',
};
