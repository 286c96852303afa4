/** The life of one stream in words: its events, the events of its messages, and its final state. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import { shownPrincipal } from '../../engine/principal/shown-principal.js';
import { valueIn } from '../../engine/resting/stored-form.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import { flowControlKind } from '../../messaging/flow-control/flow-control.commands.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { messageTerm } from '../../messaging/messages/recorded-events.js';
import { queueKind } from '../../messaging/queues/queue.commands.js';
import { scheduleKind } from '../../messaging/schedules/schedule.events.js';
import { urlGroupKind } from '../../messaging/url-groups/url-group.events.js';
import type { ProductFolding } from '../../server/history/product-folding.js';
import { asFields, plain } from '../../server/journal/entity-moment.js';
import { eventsOfStream } from '../../server/journal/named-stream.js';
import { saidFields, shownState } from '../../server/journal/shown-fields.js';
import { runKind } from '../../workflows/run-state/run.events.js';

/** Offsets are half-open: [from, until). */
interface LifePart {
  readonly stream: string;
  readonly from: number;
  readonly until: number;
}

/** What is redacted in an event; null = nothing. */
type HiddenOf = (envelope: EventEnvelope) => Promise<Redaction | null>;

/** Throws a one-line `Error` if nothing is found. */
export async function* lifeOf(
  journal: Journal,
  { engine }: ProductFolding,
  part: LifePart,
  hiddenOf: HiddenOf,
): AsyncGenerator<string> {
  const own: EventEnvelope[] = [];
  for await (const envelope of eventsOfStream(journal, part.stream, part)) own.push(envelope);
  const [first] = own;
  if (first === undefined) return;
  const messages = await messagesOf(journal, first, part);
  const all = [...own, ...messages].sort((one, other) => one.offset - other.offset);
  let hidden: Redaction | null = null;
  for (const envelope of all) {
    const hides = await hiddenOf(envelope);
    if (envelope.kind === first.kind) hidden = hides;
    yield sentence(envelope, first, hides);
  }
  if (first.sequence > 0) return;
  engine.replay(own);
  const { kind, id } = first;
  const [stored] = engine.actors(kind).stored();
  if (stored === undefined) yield `${kind}/${id} has ended`;
  else {
    const fields = asFields(plain(valueIn(stored.bytes)));
    const state = JSON.stringify(shownState(fields, hidden));
    yield `${kind}/${id} after ${own.length} events: ${state}`;
  }
}

/** Events of messages that a stream has published, as far as its id leads to them. */
async function messagesOf(
  journal: Journal,
  { kind, id }: EventEnvelope,
  { from, until }: LifePart,
): Promise<EventEnvelope[]> {
  const term = termOf(kind, id);
  if (term === null) return [];
  const found: EventEnvelope[] = [];
  const range = { from, until, order: 'oldest' as const };
  // Terms are hashes, which may collide by chance.
  const others = new Set<string>();
  for await (const envelope of journal.query({ terms: [[term]], ...range })) {
    const isFirst = envelope.sequence === 0;
    if (isFirst && !JSON.stringify(envelope.event).includes(id)) others.add(envelope.id);
    if (envelope.kind === messageKind && !others.has(envelope.id)) found.push(envelope);
  }
  return found;
}

/** The index term of the messages that belong to a stream; null if it has none. */
function termOf(kind: string, id: string): string | null {
  if (kind === runKind) return messageTerm.runId(id);
  if (kind === scheduleKind) return messageTerm.scheduleId(id);
  if (kind === queueKind) return messageTerm.queueName(id);
  if (kind === urlGroupKind) return messageTerm.topicName(id);
  return kind === flowControlKind ? messageTerm.flowControlKey(id) : null;
}

/** `2026-11-21T05:20:55.123Z +0.250 s message msg_1: delivered, by server: status 200, ...` */
function sentence(
  { at, kind, id, event, by, body, offset }: EventEnvelope,
  first: EventEnvelope,
  hidden: Redaction | null,
): string {
  const since = ((at - first.at) / 1000).toFixed(3);
  const said = saidFields(event, hidden).map(([name, value]) => `${wordsOf(name)} ${shown(value)}`);
  const bytes = body === null || body.length === 0 ? [] : [`body ${body.length} bytes`];
  const who = by === null ? '' : `, by ${shownPrincipal(by)}`;
  const what = `${kind} ${id}: ${wordsOf(event.type)}${who} (at ${offset})`;
  const fields = [...said, ...bytes].join(', ');
  return `${new Date(at).toISOString()} +${since} s ${what}${fields === '' ? '' : `: ${fields}`}`;
}

/** `MessagePublished` and `bodyOffset` as `message published` and `body offset`. */
function wordsOf(name: string): string {
  return name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) ? value : JSON.stringify(value);
}
