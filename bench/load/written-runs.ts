/**
 * Data folders with very many runs in them: copies of one run that the real server has put to
 * sleep, event by event, with ids and offsets of their own.
 */
import { systemClock } from '../../src/engine/clock.js';
import type { EventEnvelope } from '../../src/engine/decider.js';
import type { EventCodec } from '../../src/engine/event-codec.js';
import { openJournalLog } from '../../src/engine/journal.js';
import { messageKind } from '../../src/messaging/messages/message.events.js';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { productFolding } from '../../src/server/history/product-folding.js';
import type { RecordInput } from '../../storage/format/record.js';
import { openFolder } from '../measure/stored-folder.js';

/** Copies of one append. */
const copiesAtOnce = 200;

/** One event of the run, with what it is found by. */
interface Recorded {
  readonly envelope: EventEnvelope;
  readonly terms: readonly string[];
}

/** What a server has stored of the one run that it was asked for, and of its messages. */
export type RecordedRun = readonly Recorded[];

export async function recordedEvents(data: string): Promise<RecordedRun> {
  const store = await openFolder(data, true);
  const log = await openJournalLog(store);
  const codec = productCodec();
  const recorded: Recorded[] = [];
  for (let offset = log.startOffset; offset < log.highWatermark; ) {
    for (const batch of await log.read(offset)) {
      for (const record of batch.records()) {
        const envelope = codec.decode(record);
        if (envelope === null || !['run', messageKind].includes(envelope.kind)) continue;
        recorded.push({ envelope, terms: record.terms });
      }
      offset = batch.nextOffset;
    }
  }
  await store.close();
  return recorded;
}

/**
 * Writes `count` copies of a run to a new folder. What waits of the copy with a number is due at
 * `dueAt(number)`, Unix milliseconds.
 */
export async function writeRuns(
  data: string,
  run: RecordedRun,
  count: number,
  dueAt: (number: number) => number,
): Promise<void> {
  const store = await openFolder(data);
  const log = await openJournalLog(store);
  const codec = productCodec();
  for (const { envelope, terms } of run) codec.encode(envelope, terms);
  await codec.define(systemClock.now(), (shapes) => log.append([shapes])).durable;
  for (let first = 0; first < count; first += copiesAtOnce) {
    const records: RecordInput[] = [];
    for (let number = first; number < Math.min(count, first + copiesAtOnce); number += 1) {
      const copy = new CopiedEvents(run, number, log.endOffset + records.length, dueAt(number));
      for (const { envelope, terms } of run) {
        records.push(codec.encode(copy.envelope(envelope), terms.map(copy.term)));
      }
    }
    await log.append(records).durable;
  }
  await store.close();
}

/** It knows which version of each event it writes. */
export function productCodec(): EventCodec {
  return productFolding({ ...readConfiguration({}).config, sweepStretch: null }).codec;
}

/** One copy: the same events with other ids, at other offsets, and due at another time if asked. */
export class CopiedEvents {
  private readonly ids = new Map<string, string>();
  private readonly offsets = new Map<number, number>();
  /** The last time that the run waits for, in every place where it stands. */
  private readonly latest: number;

  constructor(
    run: RecordedRun,
    number: number,
    firstOffset: number,
    private readonly dueAt: number | null = null,
  ) {
    for (const [index, { envelope }] of run.entries()) {
      const { id, offset } = envelope;
      this.offsets.set(offset, firstOffset + index);
      if (!this.ids.has(id)) this.ids.set(id, copiedId(id, number * run.length + index));
    }
    this.latest = run.reduce((latest, { envelope }) => Math.max(latest, notBeforeOf(envelope)), 0);
  }

  envelope(envelope: EventEnvelope): EventEnvelope {
    const { kind, id, sequence, previous, at, by, event, body, byteLength } = envelope;
    return {
      kind,
      id: this.text(id),
      sequence,
      at,
      by,
      body,
      byteLength,
      offset: this.offsets.get(envelope.offset) ?? -1,
      previous: this.offsets.get(previous) ?? -1,
      event: this.copied('', event) as EventEnvelope['event'],
    };
  }

  /** `run:<id>` and the like. */
  readonly term = (term: string): string => {
    const at = term.indexOf(':') + 1;
    return term.slice(0, at) + this.text(term.slice(at));
  };

  private text(text: string): string {
    return this.ids.get(text) ?? text;
  }

  private copied(name: string, value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') {
      if (name.endsWith('Offset')) return this.offsets.get(value) ?? value;
      return name === 'notBefore' && value === this.latest ? (this.dueAt ?? value) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.copied(name, item));
    if (value === null || typeof value !== 'object') return value;
    const fields = Object.entries(value).map(([field, each]) => [field, this.copied(field, each)]);
    return Object.fromEntries(fields);
  }
}

/** As long as the id, and of no other copy. */
function copiedId(id: string, number: number): string {
  const prefix = id.slice(0, id.indexOf('_') + 1);
  return prefix + String(number).padStart(id.length - prefix.length, '0');
}

const notBeforeOf = ({ event }: EventEnvelope) =>
  'notBefore' in event && typeof event.notBefore === 'number' ? event.notBefore : 0;
