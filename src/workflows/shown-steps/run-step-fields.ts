/** The fields that describe a step, composed from its plan, its opening and its result. Pure. */
import { headerMap } from '../../grammar/headers.js';
import { hiding, redactedHeaders } from '../../messaging/messages/redaction.js';
import { endedInvocationBody } from '../deliveries/entry-body.js';
import type { ChildRun, HistoryMessage, Opening } from '../history/run-history.js';
import {
  callFields,
  payloadFields,
  type Showing,
  type StepFields,
  submittedFields,
  textField,
} from './step-fields.js';
import type { PlacedEntry, RunStep } from './step-groups.js';

/** `call` is the step's message to a third party; `children` are the invoked runs. */
export function runStepFields(
  { plan, opening, result }: RunStep,
  showing: Showing,
  call: HistoryMessage | undefined,
  children: ReadonlyMap<string, ChildRun>,
): StepFields {
  return {
    ...(plan !== null && entryFields(plan, showing)),
    ...(call !== undefined && calledFields(call, showing)),
    ...(opening !== null && openedFields(opening, showing, children)),
    ...(result !== null && entryFields(result, showing)),
  };
}

function entryFields({ entry, place }: PlacedEntry, showing: Showing): StepFields {
  const { body, step } = entry;
  return place === 0 ? payloadFields(body, showing) : submittedFields(body, step.type, showing);
}

function calledFields({ published }: HistoryMessage, showing: Showing): StepFields {
  const redaction = hiding(showing.redaction, published.event.redaction);
  return callFields(published, { ...showing, redaction });
}

function openedFields(
  opening: Opening,
  showing: Showing,
  children: ReadonlyMap<string, ChildRun>,
): StepFields {
  switch (opening.kind) {
    case 'call':
      return {};
    case 'wait':
      return {
        waitEventId: opening.eventId,
        ...(opening.timeout !== null && { waitTimeoutDuration: opening.timeout }),
        waitTimeoutDeadline: opening.deadline,
        waitTimeout: false,
      };
    case 'invocation': {
      const child = children.get(opening.messageId);
      return {
        invokedWorkflowRunId: opening.runId,
        ...(child !== undefined && invokedFields(opening, child, showing)),
      };
    }
  }
}

function invokedFields(
  { step }: Opening,
  { started, payload, end, returned }: ChildRun,
  { bytesMax, redaction }: Showing,
): StepFields {
  const { configuration } = started.event;
  const showing = { bytesMax, redaction: hiding(redaction, configuration.terms.redaction) };
  const headers = headerMap(null, configuration.headers);
  // If the invoker ended before the child, only the child's own end tells how it ended.
  const ended =
    end === null
      ? null
      : endedInvocationBody({ step, runId: started.id, outcome: end.outcome }, returned);
  return {
    invokedWorkflowUrl: configuration.url,
    invokedWorkflowCreatedAt: started.at,
    ...textField('invokedWorkflowRunBody', payload, showing),
    invokedWorkflowRunHeaders: redactedHeaders(headers, showing.redaction),
    ...(ended !== null && submittedFields(ended, step.type, showing)),
  };
}
