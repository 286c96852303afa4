/** One event as a line of text, as JSON, or as a row of CSV (RFC 4180). */
import type { EventEnvelope } from '../../engine/decider.js';
import { shownPrincipal } from '../../engine/principal/shown-principal.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import { journalJson, journalLine } from '../../server/journal/journal-line.js';
import { shownFields } from '../../server/journal/shown-fields.js';

/** How an event is written. */
export type ShownAs = 'line' | 'json' | 'csv';

/** The header row of CSV. */
export const csvHeader = 'offset,time,kind,id,sequence,type,by,fields';

/** `hidden` says what is redacted in the event; with null, all of it is shown. */
export function eventForm(
  envelope: EventEnvelope,
  hidden: Redaction | null,
  shownAs: ShownAs,
): string {
  if (shownAs === 'json') return journalJson(envelope, hidden);
  return shownAs === 'csv' ? csvRow(envelope, hidden) : journalLine(envelope, hidden);
}

function csvRow(envelope: EventEnvelope, hidden: Redaction | null): string {
  const { offset, at, kind, id, sequence, event, by } = envelope;
  const fields = JSON.stringify(shownFields(event, hidden));
  const time = new Date(at).toISOString();
  const cells = [offset, time, kind, id, sequence, event.type, shownPrincipal(by), fields];
  return cells.map((cell) => csvCell(String(cell))).join(',');
}

/** A spreadsheet would evaluate a cell that begins like a formula. */
function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
