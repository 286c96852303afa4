/**
 * One event of the journal as one line, readable for an operator at night as well as for programs.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import { principalObject, shownPrincipal } from '../../engine/principal/shown-principal.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import { redacted } from '../../messaging/messages/redaction.js';
import { saidFields, shownFields } from './shown-fields.js';

/**
 * `42 2026-11-21T05:20:55.123Z message/msg_1#0 MessagePublished by=env:1@203.0.113.7/8f3k-1c
 * url=https://... (body 12 bytes)`: offset, time, stream and position in it, type, who caused it if
 * known, then the fields that have a value. `hidden` says what is redacted in the event; with null,
 * everything is shown, including secrets.
 */
export function journalLine(envelope: EventEnvelope, hidden: Redaction | null): string {
  const { offset, at, kind, id, sequence, by, event, body } = envelope;
  const head = `${offset} ${new Date(at).toISOString()} ${kind}/${id}#${sequence} ${event.type}`;
  const principal = by === null ? [] : [`by=${shownPrincipal(by)}`];
  const fields = saidFields(event, hidden).map(([name, value]) => `${name}=${shownValue(value)}`);
  const bytes = body === null || body.length === 0 ? [] : [`(body ${body.length} bytes)`];
  return [head, ...principal, ...fields, ...bytes].join(' ');
}

/**
 * The same event as one JSON object. Its body, if any, is in base64 as `bodyBase64`, or as `body`
 * if only its digest may be shown; without `hasBody`, only its length is given, as `bodyLength`.
 */
export function journalJson(
  envelope: EventEnvelope,
  hidden: Redaction | null,
  hasBody = true,
): string {
  const { offset, at, kind, id, sequence, previous, event, body } = envelope;
  const by = principalObject(envelope.by);
  const fields = shownFields(event, hidden);
  const shown = { offset, at, kind, id, sequence, previous, type: event.type, by, ...fields };
  if (body === null) return JSON.stringify(shown);
  if (!hasBody) return JSON.stringify({ ...shown, bodyLength: body.length });
  if (hidden?.body === true && body.length > 0)
    return JSON.stringify({ ...shown, body: redacted(body) });
  return JSON.stringify({ ...shown, bodyBase64: body.toString('base64') });
}

function shownValue(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value);
}
