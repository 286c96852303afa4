/** Spans as an OTLP request (opentelemetry-proto, `ExportTraceServiceRequest`). Pure. */
import { version } from '../../grammar/version.js';
import type { Span } from '../../messaging/tracing/span.js';
import { otlpAttributes, otlpResource, otlpTime } from './otlp-json.js';

const kinds = { internal: 1, client: 3, producer: 4 } as const;

/** `STATUS_CODE_ERROR`. */
const errorCode = 2;
const errorCharactersMax = 256;

/** The body of `POST /v1/traces`. A span whose end precedes its start ends at its start. */
export function otlpSpans(resource: readonly string[], spans: readonly Span[]) {
  const scope = { name: 'stepwell', version };
  const scopeSpans = [{ scope, spans: spans.map(otlpSpan) }];
  return { resourceSpans: [{ resource: otlpResource(resource), scopeSpans }] };
}

function otlpSpan(span: Span) {
  const { traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, error } = span;
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: otlpTime(startedAt),
    endTimeUnixNano: otlpTime(Math.max(startedAt, endedAt)),
    attributes: otlpAttributes(attributes),
    status: error === null ? {} : { code: errorCode, message: error.slice(0, errorCharactersMax) },
  };
}
