/** The fields by which the logs of runs describe a step (workflows.md 5.1). Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import { parseDuration } from '../../grammar/duration.js';
import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import { isJsonObject, type JsonFields, parseJson } from '../../grammar/json.js';
import { textsIn } from '../../grammar/json-spans.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { MessagePublished } from '../../messaging/messages/message.events.js';
import { redactedHeaders } from '../../messaging/messages/redaction.js';
import { callStepType } from '../run-state/known-steps.js';
import { shownText } from './shown-text.js';

/** The fields of particular step types, besides those of every step; absent values are left out. */
export interface StepFields {
  /** JSON as text; for a wait, base64. */
  readonly out?: string;
  /** Seconds. */
  readonly sleepFor?: number;
  /** Unix seconds. */
  readonly sleepUntil?: number;
  readonly callUrl?: string;
  readonly callMethod?: string;
  readonly callHeaders?: HeaderMap;
  readonly callBody?: string;
  readonly callResponseStatus?: number;
  readonly callResponseHeaders?: HeaderMap;
  readonly callResponseBody?: string;
  readonly waitEventId?: string;
  /** As the step spells it, for example `7d`. */
  readonly waitTimeoutDuration?: string;
  /** Unix milliseconds. */
  readonly waitTimeoutDeadline?: number;
  /** Whether the wait timed out. */
  readonly waitTimeout?: boolean;
  readonly invokedWorkflowRunId?: string;
  readonly invokedWorkflowUrl?: string;
  /** Unix milliseconds. */
  readonly invokedWorkflowCreatedAt?: number;
  readonly invokedWorkflowRunBody?: string;
  readonly invokedWorkflowRunHeaders?: HeaderMap;
}

/** How texts are shown. */
export interface Showing {
  /** The most bytes of each text; null = all, -1 = nothing. */
  readonly bytesMax: number | null;
  readonly redaction: Redaction | null;
}

/** The fields of the payload that a run was started with. */
export function payloadFields(payload: Buffer | null, showing: Showing): StepFields {
  return textField('out', payload, showing);
}

/** The fields of a plan or a result as it was submitted, or as the server composed it. */
export function submittedFields(body: Buffer | null, type: string, showing: Showing): StepFields {
  const step = body === null ? null : objectIn(body);
  if (step === null) return textField('out', body, showing);
  const given = step['out'];
  // As it came: JavaScript would round long numbers.
  const isPlain = given !== undefined && typeof given !== 'string';
  const out = isPlain ? (textsIn(`${body}`).get('out') ?? null) : (given ?? null);
  const { waitEventId, timeout, waitTimeout } = step;
  return {
    ...textField('out', out, showing),
    ...sleepFields(step),
    ...(type === callStepType && out !== null && answerFields(out, showing)),
    ...(typeof waitEventId === 'string' && {
      waitEventId,
      // A plan holds the duration of the wait; the end of the wait says whether it timed out.
      ...(typeof timeout === 'string'
        ? { waitTimeoutDuration: timeout }
        : { waitTimeout: waitTimeout === true }),
    }),
  };
}

/** The fields of a requested call. */
export function callFields(
  { event, body }: Pick<EventEnvelope<MessagePublished>, 'event' | 'body'>,
  showing: Showing,
): StepFields {
  const { url, method, contentType, headers } = event;
  return {
    callUrl: url,
    callMethod: method,
    callHeaders: redactedHeaders(headerMap(contentType, headers), showing.redaction),
    ...textField('callBody', body, showing),
  };
}

/** A field with a text, or no field if the text must not be shown. */
export function textField<Name extends string>(
  name: Name,
  text: Buffer | string | null,
  { bytesMax, redaction }: Showing,
): { readonly [Field in Name]?: string } {
  const shown = shownText(text, bytesMax, redaction?.body === true);
  // To the compiler, an object with a computed name could have any names.
  return (shown === undefined ? {} : { [name]: shown }) as { [Field in Name]?: string };
}

function sleepFields({ sleepFor, sleepUntil }: Record<string, unknown>): StepFields {
  const seconds = secondsOf(sleepFor);
  return {
    ...(seconds !== null && { sleepFor: seconds }),
    ...(typeof sleepUntil === 'number' && { sleepUntil }),
  };
}

/** SDKs submit seconds, or a duration as the user wrote it. */
function secondsOf(sleepFor: unknown): number | null {
  if (typeof sleepFor === 'number') return sleepFor;
  const duration = typeof sleepFor === 'string' ? parseDuration(sleepFor) : null;
  return duration?.ok === true ? duration.value / 1000 : null;
}

/** The fields of a third party's answer, as the endpoint submitted it. */
function answerFields(out: string, showing: Showing): StepFields {
  const answer = objectIn(Buffer.from(out));
  if (answer === null) return {};
  const { status, header } = answer;
  return {
    ...(typeof status === 'number' && { callResponseStatus: status }),
    ...(isHeaderMap(header) && {
      callResponseHeaders: redactedHeaders(header, showing.redaction),
    }),
    ...textField('callResponseBody', textOf(answer['body']), showing),
  };
}

function isHeaderMap(value: unknown): value is HeaderMap {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every(
    (values) => Array.isArray(values) && values.every((each) => typeof each === 'string'),
  );
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function objectIn(body: Buffer): JsonFields | null {
  const json = parseJson(body);
  return json.ok && isJsonObject(json.value) ? json.value : null;
}
