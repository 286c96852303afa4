/**
 * Events as records of the journal's partition log. The fields are msgpackr records with shared
 * structures: the field names of each shape stand once, in a definition record that is in the log
 * before the first event that uses it, so the log alone is enough to read the log.
 *
 *     event record       key     <kind>/<id>
 *                        value   msgpack [version, sequence, previous, event, 1]; without the 1 it
 *                                is not known who caused the event
 *                        header  `by`: the request that caused it; `cause`: the stream for which
 *                                the server acted; neither: it acted for the event's own stream
 *                        header  `body`: the bytes that the event brought, if any
 *                        terms   the id, what else the event may be found by, and the caller
 *     definition record  key     null
 *                        value   JSON [[field, ...], ...]: every shape so far, in order
 *                        terms   `structures`
 */
import { Packr } from 'msgpackr';
import { NewerFormat } from '../../storage/faults/storage-errors.js';
import type { RecordHeader, RecordInput, StoredRecord } from '../../storage/format/record.js';
import { RepeatedBytes } from '../grammar/repeated-bytes.js';
import type { DomainEvent, EventEnvelope } from './decider.js';
import { type EventsOfKind, KnownEvents } from './known-events.js';
import { type Principal, PrincipalHeaders, principalIn } from './principal/principal.js';

/** The index term of definition records. */
export const structuresTerm = 'structures';

/** msgpackr writes shapes beyond this many inline, so the bound costs bytes, never data. */
const structuresMax = 2048;

const bodyHeader = 'body';
const noHeaders: readonly RecordHeader[] = [];
/** Marks a value whose record's headers say who caused the event. */
const isAttributed = 1;

/** The value of a record, and everything from which it was made. */
interface PackedEvent {
  readonly kind: string;
  readonly event: DomainEvent | null;
  readonly sequence: number;
  readonly previous: number;
  readonly hasCause: boolean;
  readonly value: Buffer;
}

/** The parts of a record's value; events of one type share one string as their `type`. */
type ReadValue = [
  version: number,
  sequence: number,
  previous: number,
  event: DomainEvent & { type: string },
  mark?: number,
];

/** Keeps every eighth value that is read, because copying the bytes of a value costs time. */
const keptEach = 8;

/**
 * One per journal writer, which must append definitions in the order in which it gets them. Other
 * readers have their own codec, which learns shapes from the log (`Journal.learnShapes`).
 */
export class EventCodec {
  private packr: Packr;
  /** Every shape so far, as the log has them or must get them next. */
  private table = '[]';
  private defined = '[]';
  private undefinedStructures = false;
  private latestKind = '';
  /** The event packed last: if many publishes are alike, their streams share one event. */
  private packed: PackedEvent = nothingPacked;
  /** A value that was read: if many publishes are alike, their bytes are the same. */
  private kept: ReadValue = nothingRead;
  private keptKind = '';
  private readonly keptBytes = new RepeatedBytes();
  private readSince = 0;
  private readonly known = new KnownEvents();
  private readonly principals = new PrincipalHeaders();

  constructor() {
    this.packr = this.packrOverTable();
  }

  /**
   * Reads events of the decider's kind as it says, whichever version wrote them. A codec that has
   * learnt no kind reads events of all kinds as they were written.
   */
  learn(decider: EventsOfKind): void {
    this.known.add(decider);
  }

  /**
   * True if an event encoded since the last definition has a shape that the log does not know yet:
   * the shape has to be defined before that event is appended.
   */
  get needsDefinition(): boolean {
    return this.undefinedStructures;
  }

  /** Appends a definition of every shape so far; if `append` throws, none of them is defined. */
  define<Taken>(at: number, append: (definition: RecordInput) => Taken): Taken {
    const { table } = this;
    const value = Buffer.from(table);
    const taken = append({ key: null, value, timestamp: at, terms: [structuresTerm] });
    this.undefinedStructures = false;
    this.defined = table;
    return taken;
  }

  /**
   * The record of an event. Check `needsDefinition` afterwards, and call `define` first if needed.
   * The index finds the record by `terms`.
   */
  encode(envelope: EventEnvelope, terms: readonly string[]): RecordInput {
    const { kind, id, by, body } = envelope;
    return {
      key: `${kind}/${id}`,
      value: this.valueOf(envelope),
      timestamp: envelope.at,
      headers: headersOf(this.principals.of(by), body),
      terms,
    };
  }

  private valueOf({ kind, sequence, previous, by, event }: EventEnvelope): Buffer {
    const hasCause = by !== null;
    const last = this.packed;
    if (
      last.event === event &&
      last.kind === kind &&
      last.sequence === sequence &&
      last.previous === previous &&
      last.hasCause === hasCause
    ) {
      return last.value;
    }
    const version = this.known.versionOf(kind, event.type);
    const fields = hasCause
      ? [version, sequence, previous, event, isAttributed]
      : [version, sequence, previous, event];
    const value = this.packr.pack(fields);
    this.packed = { kind, event, sequence, previous, hasCause, value };
    return value;
  }

  /**
   * The event of a record, or null for a definition, which is learnt. Throws `NewerFormat` if a
   * codec that has learnt kinds does not know the event.
   */
  decode(record: StoredRecord): EventEnvelope | null {
    const { bytes, keyStart, keyLength, valueLength } = record;
    if (keyLength < 0) {
      this.learnShapes(record.value?.toString() ?? '');
      return null;
    }
    const start = keyStart + keyLength;
    const kind = this.kindOf(bytes, keyStart);
    const id = idOf(record, kind);
    const end = start + Math.max(valueLength, 0);
    const isAlike = kind === this.keptKind && this.keptBytes.isAt(bytes, start, end);
    const value = isAlike ? this.kept : this.valueIn(kind, record, start, end);
    const [, sequence, previous, event, mark] = value;
    return new StoredEvent(kind, id, sequence, previous, event, record, mark === isAttributed);
  }

  private valueIn(kind: string, record: StoredRecord, start: number, end: number): ReadValue {
    const { bytes, offset } = record;
    const value: ReadValue = this.packr.unpack(bytes, { start, end });
    const [version, , , fields] = value;
    const event = this.known.current(kind, version, fields);
    if (event === null) {
      const name = `${kind}/${idOf(record, kind)}: ${fields.type}, version ${version}`;
      throw new NewerFormat(`the journal has event ${offset} (${name})`);
    }
    value[3] = event;
    this.readSince += 1;
    if (this.readSince % keptEach === 0) {
      this.keptBytes.keep(bytes, start, end);
      this.keptKind = kind;
      this.kept = value;
    }
    return value;
  }

  /** The stream of a record; null for a definition. Cheaper than decoding the event. */
  streamOf(record: StoredRecord): { readonly kind: string; readonly id: string } | null {
    if (record.keyLength < 0) return null;
    const kind = this.kindOf(record.bytes, record.keyStart);
    return { kind, id: idOf(record, kind) };
  }

  /** Equal kinds share one string, whose hash is computed once: each event looks up its kind. */
  private kindOf(bytes: Buffer, start: number): string {
    if (!isOfKind(bytes, start, this.latestKind)) {
      this.latestKind = bytes.toString('latin1', start, bytes.indexOf(slash, start));
    }
    return this.latestKind;
  }

  /** Every shape that the log has defined so far, as `learnShapes` takes it. */
  get shapes(): string {
    return this.defined;
  }

  /** Learns these shapes. A reader of a log's past meets older tables; newer ones contain them. */
  learnShapes(shapes: string): void {
    if (this.defined.startsWith(shapes.slice(0, -1))) return;
    this.table = shapes;
    this.packed = nothingPacked;
    this.keptKind = '';
    this.defined = shapes;
    this.packr = this.packrOverTable();
  }

  /**
   * The shapes are given by a callback: from a list msgpackr reads only the first 32, because later
   * ids take two bytes, which it expects only with a callback.
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

const nothingPacked: PackedEvent = {
  kind: '',
  event: null,
  sequence: -1,
  previous: -1,
  hasCause: false,
  value: Buffer.alloc(0),
};
const nothingRead: ReadValue = [0, 0, 0, { type: '' }];
const slash = '/'.charCodeAt(0);

/** Decoded from the bytes: a slice of the key's string would keep the whole key in memory. */
function idOf({ bytes, keyStart, keyLength }: StoredRecord, kind: string): string {
  return bytes.toString('utf8', keyStart + kind.length + 1, keyStart + keyLength);
}

/** Whether a key at `start` begins with `<kind>/`; kinds are ASCII. */
function isOfKind(bytes: Buffer, start: number, kind: string): boolean {
  for (let index = 0; index < kind.length; index += 1) {
    if (bytes[start + index] !== kind.charCodeAt(index)) return false;
  }
  return bytes[start + kind.length] === slash;
}

function headersOf(principal: RecordHeader | null, body: Buffer | null): readonly RecordHeader[] {
  if (body === null) return principal === null ? noHeaders : [principal];
  const own = { name: bodyHeader, value: body };
  return principal === null ? [own] : [principal, own];
}

/**
 * An event that was read. Its body is cut out of the record, and its principal is decoded, on
 * demand only: a replay needs neither.
 */
class StoredEvent implements EventEnvelope {
  readonly at: number;
  readonly offset: number;
  readonly byteLength: number;
  private cutBody: Buffer | null | undefined;

  constructor(
    readonly kind: string,
    readonly id: string,
    readonly sequence: number,
    readonly previous: number,
    readonly event: DomainEvent,
    private readonly record: StoredRecord,
    private readonly isAttributed: boolean,
  ) {
    this.at = record.timestamp;
    this.offset = record.offset;
    this.byteLength = record.byteLength;
  }

  get by(): Principal | null {
    return this.isAttributed ? principalIn(this.record.headers) : null;
  }

  get body(): Buffer | null {
    if (this.cutBody === undefined) {
      this.cutBody = this.record.headers.find(({ name }) => name === bodyHeader)?.value ?? null;
    }
    return this.cutBody;
  }
}
