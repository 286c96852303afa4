/**
 * The steps of a run, as the listing of runs groups them (workflows.md 5.1). From the events to the
 * shown object:
 *
 *     RunHistory       what the events of the run and its messages say, oldest first
 *     step-groups      the steps, each with its plan, its opening and its result
 *     step-messages    which messages are about which step
 *     step-state       the state of a step
 *     run-step-fields  the fields that describe a step
 *     run-steps        all of this as one object for each step
 *
 * Pure.
 */
import { headerMap, withDefaultHeaders } from '../../grammar/headers.js';
import { dialects } from '../../http/dialect.js';
import { hiding, redactedHeaders } from '../../messaging/messages/redaction.js';
import { protocolVersion } from '../../messaging/outbound/request-head.js';
import type { HistoryMessage, RunHistory } from '../history/run-history.js';
import { failedStepName } from '../history/sdk-answer.js';
import type { RunFailed } from '../run-state/run.events.js';
import { runStepFields } from './run-step-fields.js';
import type { RunSurroundings } from './run-surroundings.js';
import type { Showing } from './step-fields.js';
import { type RunStep, type StepGroup, stepGroups } from './step-groups.js';
import { StepMessages } from './step-messages.js';
import {
  type DeliveryFields,
  type NextStepObject,
  type StepGroupObject,
  type StepObject,
  type StepState,
  stalledError,
  stepError,
} from './step-object.js';
import { messageState, stepState } from './step-state.js';

/** The groups in the order in which they began; what the endpoint has to do next comes last. */
export function runSteps(history: RunHistory, around: RunSurroundings): readonly StepGroupObject[] {
  return new RunSteps(history, around).toGroups();
}

class RunSteps {
  private readonly groups: readonly StepGroup[];
  private readonly messages: StepMessages;

  constructor(
    private readonly history: RunHistory,
    private readonly around: RunSurroundings,
  ) {
    this.groups = stepGroups(history);
    this.messages = new StepMessages(history, this.groups);
  }

  toGroups(): readonly StepGroupObject[] {
    const groups: StepGroupObject[] = this.groups.map((group) => ({
      type: group.type,
      steps: group.steps.map((step) => this.stepObject(step, group)),
    }));
    const next = this.next();
    return next === null ? groups : [...groups, { type: 'next', steps: [next] }];
  }

  private stepObject(step: RunStep, group: StepGroup): StepObject {
    const { info, plan, opening, result } = step;
    const { messages, history, around } = this;
    const message = messages.latest(step);
    const state = stepState(step, group, messages, around, history.end !== null);
    const begun = plan?.entry ?? opening ?? result?.entry ?? history.started;
    const messageId = result?.entry.messageId ?? opening?.messageId ?? plan?.entry.messageId;
    const showing = this.showing(message);
    return {
      stepId: info.id,
      stepName: info.name,
      stepType: info.type,
      callType: this.callTypeOf(step),
      ...(messageId !== undefined && { messageId }),
      state,
      createdAt: begun.at,
      concurrent: info.concurrent,
      ...(result?.entry.editedAt !== undefined && { editedAt: result.entry.editedAt }),
      headers: this.headersOf(message, showing),
      ...this.deliveryFields(message, messages.failuresOf(step, group), state),
      ...runStepFields(step, showing, messages.call(step), around.children),
    };
  }

  /** The delivery of the latest entry, if it has not led to a step yet. */
  private next(): NextStepObject | null {
    const { end, entries } = this.history;
    if (end?.event.type === 'RunFailed' && end.event.cause === 'stalled') {
      return this.stalled(end.event, end.at);
    }
    const place = entries.length - 1;
    const group = this.groups.at(-1);
    const message = this.messages.delivery(place);
    if (group?.isComplete !== true || message === undefined) return null;
    if (message.status === 'delivered') return null;
    const failures = this.messages.failures(place);
    const stepName = failedStepName(failures.at(-1) ?? null);
    const state = messageState(message, this.around);
    return {
      messageId: message.published.id,
      ...(stepName !== null && { stepName }),
      state,
      ...this.deliveryFields(message, failures, state),
    };
  }

  private stalled({ messageId }: RunFailed, time: number): NextStepObject {
    const message = this.history.messages.get(messageId);
    const last = message?.last ?? null;
    const answer = last === null ? { body: '', headers: {} } : this.errorOf(last);
    const state = 'STEP_FAILED';
    const fields = this.deliveryFields(message, message?.failures ?? [], state);
    const errors = [...(fields.errors ?? []), { ...answer, error: stalledError, time }];
    return { messageId, state, ...fields, errors };
  }

  private callTypeOf(step: RunStep): StepObject['callType'] {
    if (step.result !== null || step.opening?.kind !== 'call') return 'step';
    return this.messages.answer(step) === undefined ? 'toCallback' : 'fromCallback';
  }

  private deliveryFields(
    message: HistoryMessage | undefined,
    failures: ReturnType<StepMessages['failures']>,
    state: StepState,
  ): DeliveryFields {
    const { maxRetries, retryDelay } = message?.published.event ?? this.history.configuration.terms;
    const isOpen = state === 'STEP_PROGRESS' || state === 'STEP_RETRY';
    const isAwaited = isOpen && message?.status === 'pending' && !this.isRunning(message);
    return {
      retries: maxRetries,
      ...(retryDelay !== null && { retryDelay }),
      ...(isAwaited && { nextDeliveryTime: message.notBefore }),
      ...(failures.length > 0 && { errors: failures.map((each) => this.errorOf(each)) }),
    };
  }

  private isRunning({ published }: HistoryMessage): boolean {
    return this.around.running.has(published.id);
  }

  private errorOf(failure: Parameters<typeof stepError>[0]) {
    return stepError(failure, this.around.bytesMax);
  }

  /** The delivered headers; those of the user are redacted as the run requests. */
  private headersOf(message: HistoryMessage | undefined, { redaction }: Showing) {
    const own = message?.published.event;
    const { headers: added, dialect } = this.history.configuration;
    // A third party gets no headers of the run.
    const isCall = own?.run?.role === 'call';
    const all = isCall ? own.headers : withDefaultHeaders(own?.headers ?? [], added);
    const shown = redactedHeaders(headerMap(own?.contentType ?? null, all), redaction);
    const version = `${dialects[dialect].messagePrefix}Workflow-Sdk-Version`;
    return isCall ? shown : { ...shown, ...headerMap(null, [version, protocolVersion]) };
  }

  private showing(message: HistoryMessage | undefined): Showing {
    const { redaction } = this.history.configuration.terms;
    const own = message?.published.event.redaction ?? null;
    return { bytesMax: this.around.bytesMax, redaction: hiding(redaction, own) };
  }
}
