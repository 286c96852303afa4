/** The fields of an event as printed: without redacted parts, without secrets. Pure. */
import type { DomainEvent } from '../../engine/decider.js';
import { isJsonObject, type JsonFields } from '../../grammar/json.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import { hidesHeader, redactedValue } from '../../messaging/messages/redaction.js';

/**
 * Fields whose values grant access, or help to guess what does: shown as stars, in every format.
 */
const secretFields = new Map([
  ['SigningKeysRotated', new Set(['current', 'next'])],
  ['RestCredentialCreated', new Set(['digest'])],
  ['TokenCreated', new Set(['digest'])],
  // The states of all kinds contain signing keys, and headers that a template redacts.
  ['Checkpointed', new Set(['state', 'entries'])],
]);

/** Lists of header names and values, alternating. */
const headerFields = new Set(['headers', 'failureHeaders']);

/** Names of secrets in states, at any depth. */
const secretParts = new Set(['current', 'next', 'digest']);

/** A folded state in plain values; if `hidden` is null, all of it is shown. */
export function shownState(state: JsonFields, hidden: Redaction | null): JsonFields {
  return hidden === null ? state : starredFields(withoutRedacted(state, hidden));
}

function starred(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(starred);
  return isJsonObject(value) ? starredFields(value) : value;
}

function starredFields(fields: JsonFields): JsonFields {
  const entries = Object.entries(fields).map(([name, each]) => {
    return [name, secretParts.has(name) && each !== null ? '***' : starred(each)];
  });
  return Object.fromEntries(entries);
}

/**
 * The fields of an event, without its type. `hidden` is what its stream redacts, or null to show
 * everything; a part of the event with a redaction of its own (a callback, a template) uses that.
 */
export function shownFields(event: DomainEvent, hidden: Redaction | null): JsonFields {
  const { type, ...fields } = event;
  if (hidden === null) return fields;
  const secrets = secretFields.get(type);
  const shown = withoutRedacted(fields, hidden);
  for (const name of secrets ?? []) shown[name] = '***';
  return shown;
}

/** Those of `shownFields` that say something: neither null nor an empty list. */
export function saidFields(event: DomainEvent, hidden: Redaction | null): [string, unknown][] {
  return Object.entries(shownFields(event, hidden)).filter(([, value]) => {
    return value !== null && !(Array.isArray(value) && value.length === 0);
  });
}

function withoutRedacted(fields: JsonFields, redaction: Redaction): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (headerFields.has(name) && isTexts(value)) {
      const hides = name === 'headers' ? redaction : failureRedaction(fields, redaction);
      shown[name] = headerPairs(value, hides);
    } else if (name === 'contentType' && typeof value === 'string') {
      shown[name] = hidesHeader(redaction, 'content-type') ? redactedValue(value) : value;
    } else shown[name] = partOf(value, redaction);
  }
  return shown;
}

/** Redacts one part of an event or state. States of messages hold their parts in lists. */
function partOf(value: unknown, inherited: Redaction): unknown {
  if (Array.isArray(value)) return value.map((each) => partOf(each, inherited));
  return isJsonObject(value) ? withoutRedacted(value, ownRedaction(value, inherited)) : value;
}

/** What this part of an event hides: of a run's configuration, its terms say it. */
function ownRedaction({ redaction, terms }: JsonFields, inherited: Redaction): Redaction {
  const own = redaction ?? (isJsonObject(terms) ? terms['redaction'] : null);
  // Written by this server, so its type is known.
  return (own as Redaction | null) ?? inherited;
}

/** The headers of a run's failure callback are stored separately from the redaction for them. */
function failureRedaction({ terms }: JsonFields, inherited: Redaction): Redaction {
  const callback = isJsonObject(terms) ? terms['failureCallback'] : null;
  return isJsonObject(callback) ? ownRedaction(callback, inherited) : inherited;
}

function headerPairs(pairs: readonly string[], redaction: Redaction): readonly string[] {
  return pairs.map((text, index) => {
    const isValue = index % 2 === 1;
    return isValue && hidesHeader(redaction, pairs[index - 1] ?? '') ? redactedValue(text) : text;
  });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}
