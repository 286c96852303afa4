/** One event of the journal as one line, for people at three in the morning and for programs. */
import type { EventEnvelope } from '../engine/decider.js';

/** Fields whose values open doors: shown as stars, in every format. */
const secretFields = new Map([['SigningKeysRotated', new Set(['current', 'next'])]]);

/**
 * `42 2026-11-21T05:20:55.123Z message/msg_1#0 MessagePublished url=https://... (body 12 bytes)`:
 * offset, time, stream and position in it, type, then the fields that say something.
 */
export function journalLine(envelope: EventEnvelope): string {
  const { offset, at, kind, id, sequence, event, body } = envelope;
  const head = `${offset} ${new Date(at).toISOString()} ${kind}/${id}#${sequence} ${event.type}`;
  const fields = shownFields(envelope)
    .filter(([, value]) => !isNothing(value))
    .map(([name, value]) => `${name}=${shownValue(value)}`);
  const bytes = body === null || body.length === 0 ? [] : [`(body ${body.length} bytes)`];
  return [head, ...fields, ...bytes].join(' ');
}

/** The same event as one JSON object; its body, if any, in base64. */
export function journalJson(envelope: EventEnvelope): string {
  const { offset, at, kind, id, sequence, previous, event, body } = envelope;
  const fields = Object.fromEntries(shownFields(envelope));
  const shown = { offset, at, kind, id, sequence, previous, type: event.type, ...fields };
  return JSON.stringify(body === null ? shown : { ...shown, bodyBase64: body.toString('base64') });
}

function shownFields({ event }: EventEnvelope): [string, unknown][] {
  const secrets = secretFields.get(event.type);
  return Object.entries(event)
    .filter(([name]) => name !== 'type')
    .map(([name, value]) => [name, secrets?.has(name) ? '***' : value]);
}

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function shownValue(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value);
}
