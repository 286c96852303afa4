/** The steps of a run as the listing of runs shows them (workflows.md 5.1). */

import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import { errorOf } from '../../messaging/logs/log-row.js';
import type { Attempted } from '../history/run-history.js';
import { shownText } from './shown-text.js';
import type { StepFields } from './step-fields.js';

/** What a step is shown to be. */
export type StepState =
  | 'STEP_PROGRESS'
  | 'STEP_SUCCESS'
  | 'STEP_RETRY'
  | 'STEP_FAILED'
  | 'STEP_CANCELED';

/** An attempt that failed. */
export interface StepError {
  /** Absent where there was no response. */
  readonly status?: number;
  readonly error: string;
  /** Of the response. */
  readonly body: string;
  readonly headers: HeaderMap;
  /** Unix milliseconds. */
  readonly time: number;
}

/** How the messages of a step are delivered. */
export interface DeliveryFields {
  /** Attempts after the first, at most. */
  readonly retries: number;
  readonly retryDelay?: string;
  /** Unix milliseconds; absent where no attempt is waited for. */
  readonly nextDeliveryTime?: number;
  readonly errors?: readonly StepError[];
}

/** A step that has begun. */
export interface StepObject extends StepFields, DeliveryFields {
  /** 0 is the run's start. */
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  readonly callType: 'step' | 'toCallback' | 'fromCallback';
  /** Absent while it waits for an event: no message is about it yet. */
  readonly messageId?: string;
  readonly state: StepState;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly concurrent: number;
  /** When its result was replaced by a resume, Unix milliseconds. */
  readonly editedAt?: number;
  readonly headers: HeaderMap;
}

/** A delivery to the endpoint that has brought nothing yet. */
export interface NextStepObject extends DeliveryFields {
  readonly messageId: string;
  readonly state: StepState;
  /** What the endpoint says that it failed with. */
  readonly stepName?: string;
}

/** What stands in one place of a run's list; `next` = what its endpoint is called for now. */
export type StepGroupObject =
  | { readonly type: 'sequential' | 'parallel'; readonly steps: readonly StepObject[] }
  | { readonly type: 'next'; readonly steps: readonly NextStepObject[] };

/** Of a run that nothing can come of any more (`RunFailed.cause`). */
export const stalledError =
  'nothing can come any more: the endpoint answered, ' +
  'but it neither submitted what comes next nor ended the run';

/** A failed attempt; of its response's body, `bytesMax` bytes (null = all, -1 = nothing). */
export function stepError({ event, at, body }: Attempted, bytesMax: number | null): StepError {
  return {
    ...(event.status !== 0 && { status: event.status }),
    error: errorOf(event),
    body: shownText(body, bytesMax, false) ?? '',
    headers: headerMap(null, event.headers),
    time: at,
  };
}
