/**
 * Events as records of the journal's partition log. The fields are msgpackr records with shared
 * structures: the field names of each shape stand once, in a definition record that is in the log
 * before the first event that uses it, so the log alone is enough to read the log.
 *
 *     event record       key     <kind>/<id>
 *                        value   msgpack [version, sequence, previous, event]
 *                        header  `body`: the bytes that the event brought, if any
 *                        terms   the id, and what else the event may be found by
 *     definition record  key     null
 *                        value   JSON [[field, ...], ...]: every shape so far, in order
 *                        terms   `structures`
 */
import { Packr } from 'msgpackr';
import type { LogRecord, RecordInput } from '../../storage/format/record.js';
import type { DomainEvent, EventEnvelope } from './decider.js';
import type { UpcasterTable } from './upcasters.js';

/** The index term of definition records. */
export const structuresTerm = 'structures';

/** More shapes than this are written inline by msgpackr, so the bound costs bytes, never data. */
const structuresMax = 2048;

const bodyHeader = 'body';
const noHeaders: NonNullable<RecordInput['headers']> = [];

export class EventCodec {
  private packr: Packr;
  /** Every shape so far, as the log has it or must have it next. */
  private table = '[]';
  private undefinedStructures = false;
  private latestKind = '';

  constructor(private readonly upcasters: UpcasterTable) {
    this.packr = this.packrOverTable();
  }

  /**
   * True when an event encoded since the last definition has a shape that the log does not know
   * yet: `definition` must be appended before that event is.
   */
  get needsDefinition(): boolean {
    return this.undefinedStructures;
  }

  /** The record that teaches the log every shape known so far. */
  definition(at: number): RecordInput {
    this.undefinedStructures = false;
    return {
      key: null,
      value: Buffer.from(this.table),
      timestamp: at,
      terms: [structuresTerm],
    };
  }

  encode(envelope: EventEnvelope, terms: readonly string[]): RecordInput {
    const { kind, id, event, body } = envelope;
    const version = (this.upcasters.find(kind, event.type)?.length ?? 0) + 1;
    return {
      key: Buffer.from(`${kind}/${id}`),
      value: this.packr.pack([version, envelope.sequence, envelope.previous, event]),
      timestamp: envelope.at,
      headers: body === null ? noHeaders : [{ name: bodyHeader, value: body }],
      terms,
    };
  }

  /** The event of a record, or null for a definition, which is remembered. */
  decode(record: LogRecord): EventEnvelope | null {
    if (record.key === null) {
      this.learnShapes((record.value ?? empty).toString());
      return null;
    }
    const kind = this.kindOf(record.key);
    // A slice of the key as a string would keep all of it in memory.
    const id = record.key.toString('utf8', kind.length + 1);
    const [version, sequence, previous, fields] = this.packr.unpack(record.value ?? empty);
    const event = this.upcast(kind, version, fields);
    return new StoredEvent(kind, id, sequence, previous, event, record);
  }

  /** Equal kinds share one string, whose hash is known: every event looks its kind up. */
  private kindOf(key: Buffer): string {
    if (!isOfKind(key, this.latestKind)) {
      this.latestKind = key.toString('latin1', 0, key.indexOf(slash));
    }
    return this.latestKind;
  }

  private upcast(kind: string, version: number, fields: DomainEvent): DomainEvent {
    const upcasters = this.upcasters.find(kind, fields.type);
    if (upcasters === undefined || version > upcasters.length) return fields;
    return upcasters
      .slice(version - 1)
      .reduce<DomainEvent>((older, lift) => lift(older as never), fields);
  }

  /** Every shape that the log has defined so far, as `learnShapes` takes it. */
  get shapes(): string {
    return this.table;
  }

  /** Knows the shapes that the log had defined when these were given. */
  learnShapes(shapes: string): void {
    this.table = shapes;
    this.packr = this.packrOverTable();
  }

  /**
   * It must ask for the shapes: of those that it is given at once it reads the first 32 only, as
   * ids beyond take two bytes, which it knows of shapes that it has made or asked for.
   */
  private packrOverTable(): Packr {
    return new Packr({
      maxSharedStructures: structuresMax,
      getStructures: () => JSON.parse(this.table) as string[][],
      saveStructures: (structures) => {
        this.table = JSON.stringify(structures);
        this.undefinedStructures = true;
        return true;
      },
    });
  }
}

const empty = Buffer.alloc(0);
const slash = '/'.charCodeAt(0);

/** Whether a key begins with `<kind>/`; kinds are ASCII. */
function isOfKind(key: Buffer, kind: string): boolean {
  for (let index = 0; index < kind.length; index += 1) {
    if (key[index] !== kind.charCodeAt(index)) return false;
  }
  return key[kind.length] === slash;
}

/** An event as it was read. Its body is cut out of the record when a caller asks for it. */
class StoredEvent implements EventEnvelope {
  readonly at: number;
  readonly offset: number;

  constructor(
    readonly kind: string,
    readonly id: string,
    readonly sequence: number,
    readonly previous: number,
    readonly event: DomainEvent,
    private readonly record: LogRecord,
  ) {
    this.at = record.timestamp;
    this.offset = record.offset;
  }

  get body(): Buffer | null {
    return this.record.headers[0]?.value ?? null;
  }
}
