/** The steps of a run as the listing of runs shows them (workflows.md 5.1). */

import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import { errorOf } from '../../messaging/logs/log-row.js';
import type { Attempted } from '../history/run-history.js';
import { shownText } from './shown-text.js';
import type { StepFields } from './step-fields.js';

/** The shown state of a step. */
export type StepState =
  | 'STEP_PROGRESS'
  | 'STEP_SUCCESS'
  | 'STEP_RETRY'
  | 'STEP_FAILED'
  | 'STEP_CANCELED';

/** A failed attempt. */
export interface StepError {
  /** Absent if there was no response. */
  readonly status?: number;
  readonly error: string;
  /** Body of the response. */
  readonly body: string;
  readonly headers: HeaderMap;
  /** Unix milliseconds. */
  readonly time: number;
}

/** How the messages of a step are delivered. */
export interface DeliveryFields {
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  readonly retryDelay?: string;
  /** Unix milliseconds; absent if no attempt is awaited. */
  readonly nextDeliveryTime?: number;
  readonly errors?: readonly StepError[];
}

/** A step that has begun. */
export interface StepObject extends StepFields, DeliveryFields {
  /** 0 for the run's start. */
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  readonly callType: 'step' | 'toCallback' | 'fromCallback';
  /** Absent while the step waits for an event: it has no message yet. */
  readonly messageId?: string;
  readonly state: StepState;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly concurrent: number;
  /** When a resume replaced the result, Unix milliseconds. */
  readonly editedAt?: number;
  readonly headers: HeaderMap;
}

/** A delivery to the endpoint that has not led to a step yet. */
export interface NextStepObject extends DeliveryFields {
  readonly messageId: string;
  readonly state: StepState;
  /** The step that the endpoint named as failed. */
  readonly stepName?: string;
}

/**
 * One element of the shown list of steps; `next` is the delivery for which the endpoint is called
 * now.
 */
export type StepGroupObject =
  | { readonly type: 'sequential' | 'parallel'; readonly steps: readonly StepObject[] }
  | { readonly type: 'next'; readonly steps: readonly NextStepObject[] };

/** The error of a stalled run (`RunFailed.cause`). */
export const stalledError =
  'every delivery was answered, but none of them submitted a next step or the end of the run';

/**
 * The object of a failed attempt, with `bytesMax` bytes of its response's body (null = all, -1 =
 * nothing).
 */
export function stepError({ event, at, body }: Attempted, bytesMax: number | null): StepError {
  return {
    ...(event.status !== 0 && { status: event.status }),
    error: errorOf(event),
    body: shownText(body, bytesMax, false) ?? '',
    headers: headerMap(null, event.headers),
    time: at,
  };
}
