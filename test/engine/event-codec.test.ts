import fc from 'fast-check';
import type { DomainEvent, EventEnvelope } from '../../src/engine/decider.js';
import { EventCodec } from '../../src/engine/event-codec.js';
import { Caller } from '../../src/engine/principal/principal.js';
import { NewerFormat } from '../../storage/faults/storage-errors.js';
import type { RecordInput } from '../../storage/format/record.js';
import { envelope } from '../support/envelope.js';
import { storedRecord } from '../support/stored-record.js';

const newCodec = () => new EventCodec();

/** The events of the last of these kinds have changed once. */
const kinds = [
  { kind: 'message', events: { Happened: [] } },
  { kind: 'one', events: { Happened: [] } },
  { kind: 'other', events: { Happened: [() => happened(9)] } },
];

/** An event with a field that no other event has. */
const happened = (shape: number): DomainEvent => ({ type: 'Happened', [`field${shape}`]: shape });

/** What a server writes in one life for events of so many shapes, numbered by `record`. */
function written(codec: EventCodec, shapes: readonly number[], log: RecordInput[]): void {
  for (const shape of shapes) {
    const offset = log.length;
    const encode = () => codec.encode(envelope(happened(shape), { offset }), []);
    let record = encode();
    if (codec.needsDefinition) {
      log.push(codec.define(0, (shapes) => shapes));
      record = encode();
    }
    log.push(record);
  }
}

function replayed(codec: EventCodec, log: readonly RecordInput[]): readonly DomainEvent[] {
  return log.flatMap((record, offset) => codec.decode(storedRecord(record, offset))?.event ?? []);
}

describe('events that are alike', () => {
  /** Reads one after another, with one codec, what another codec has written. */
  function readBack(given: readonly Partial<EventEnvelope>[]): readonly EventEnvelope[] {
    const codec = newCodec();
    for (const kind of kinds) codec.learn(kind);
    codec.encode(envelope(happened(1)), []);
    const log = [codec.define(0, (shapes) => shapes)];
    for (const each of given) {
      log.push(codec.encode(envelope(happened(1), { ...each, offset: log.length }), []));
    }
    const reader = newCodec();
    for (const kind of kinds) reader.learn(kind);
    return log.flatMap((record, at) => reader.decode(storedRecord(record, at)) ?? []);
  }

  it('share one event object if many follow each other', () => {
    const read = readBack(Array.from({ length: 20 }, (_, place) => ({ id: `id-${place}` })));
    expect(read.map(({ id, offset }) => `${id} ${offset}`)).toContain('id-19 20');
    expect(read[19]?.event).toBe(read[18]?.event);
  });

  it('keep their differences, in whichever order they come', () => {
    const each = fc.record({
      kind: fc.constantFrom('one', 'other'),
      sequence: fc.constantFrom(0, 1),
      previous: fc.constantFrom(-1, 7),
    });
    fc.assert(
      fc.property(fc.array(each, { minLength: 10, maxLength: 40 }), (given) => {
        const read = readBack(given);
        expect(read.map(({ kind, sequence, previous }) => ({ kind, sequence, previous }))).toEqual(
          given,
        );
        expect(read.map(({ event }) => event)).toEqual(given.map(() => happened(1)));
      }),
    );
  });
});

describe('one event of several streams', () => {
  it('is read back with the differences between the streams', () => {
    const codec = newCodec();
    const event = happened(1);
    const caller = new Caller('token:a', '127.0.0.1', 'req_1');
    const streams = [
      { kind: 'one', id: 'a' },
      { kind: 'one', id: 'b' },
      { kind: 'one', id: 'c', sequence: 3, previous: 0 },
      { kind: 'one', id: 'd', sequence: 3, previous: 1 },
      { kind: 'one', id: 'e', sequence: 3, previous: 1, by: caller },
      { kind: 'other', id: 'f', sequence: 3, previous: 1, by: caller },
    ];
    for (const kind of kinds) codec.learn(kind);
    const log: RecordInput[] = [];
    codec.encode(envelope(event), []);
    log.push(codec.define(0, (shapes) => shapes));
    for (const stream of streams) {
      log.push(codec.encode(envelope(event, { ...stream, offset: log.length }), []));
    }
    expect(log[1]?.value).toBe(log[2]?.value);
    const reader = newCodec();
    const read = log.flatMap((record, at) => reader.decode(storedRecord(record, at)) ?? []);
    const fieldsOf = (each: Partial<EventEnvelope>) => {
      const { kind, id, sequence = 0, previous = -1, by = null } = each;
      return [kind, id, sequence, previous, by?.header?.value?.toString()];
    };
    expect(read.map(fieldsOf)).toEqual(streams.map(fieldsOf));
    expect(read.map((each) => each.event)).toEqual(streams.map(() => event));
  });
});

describe('the shapes of events', () => {
  // One byte distinguishes 32 shapes; further shapes take two.
  it.each([1, 31, 32, 33, 64, 65, 200])('are read back after a restart, %i of them', (count) => {
    const log: RecordInput[] = [];
    const shapes = Array.from({ length: count }, (_, shape) => shape);
    written(newCodec(), shapes, log);
    expect(replayed(newCodec(), log)).toEqual(shapes.map(happened));
  });

  it('are learned after each restart, behind those known before', () => {
    const log: RecordInput[] = [];
    const lives = [
      Array.from({ length: 30 }, (_, shape) => shape),
      Array.from({ length: 60 }, (_, shape) => shape),
      Array.from({ length: 90 }, (_, shape) => 89 - shape),
    ];
    for (const shapes of lives) {
      const codec = newCodec();
      replayed(codec, log);
      written(codec, shapes, log);
    }
    expect(replayed(newCodec(), log)).toEqual(lives.flat().map(happened));
    expect(log.filter(({ key }) => key === null)).toHaveLength(90);
  });

  it('are kept while the past of their log is read again', () => {
    const codec = newCodec();
    const log: RecordInput[] = [];
    written(codec, [1, 2, 3], log);
    // A reader stops after the first definition and its event.
    expect(replayed(codec, log.slice(0, 2))).toEqual([happened(1)]);
    written(codec, [3, 2, 4], log);
    expect(replayed(newCodec(), log)).toEqual([1, 2, 3, 3, 2, 4].map(happened));
    expect(replayed(codec, log)).toEqual([1, 2, 3, 3, 2, 4].map(happened));
    expect(log.filter(({ key }) => key === null)).toHaveLength(4);
  });

  it('are those of the log if another writer has defined others', () => {
    const codec = newCodec();
    written(codec, [1, 2, 3], []);
    const log: RecordInput[] = [];
    written(newCodec(), [1, 4], log);
    expect(replayed(codec, log)).toEqual([1, 4].map(happened));
  });

  it('are defined again if the log has not taken them', () => {
    const codec = newCodec();
    const log: RecordInput[] = [];
    written(codec, [1], log);
    codec.encode(envelope(happened(2)), []);
    const refuse = () => {
      throw new Error('not now');
    };
    expect(() => codec.define(0, refuse)).toThrow('not now');
    written(codec, [2, 3], log);
    expect(replayed(newCodec(), log)).toEqual([1, 2, 3].map(happened));
  });

  it('do not count as known if they cannot be encoded', () => {
    const codec = newCodec();
    const log: RecordInput[] = [];
    written(codec, [1], log);
    const unreadable = {
      type: 'Happened',
      other: {
        get field() {
          throw new Error('no');
        },
      },
    };
    expect(() => codec.encode(envelope(unreadable), [])).toThrow('no');
    written(codec, [2, 3], log);
    expect(replayed(newCodec(), log)).toEqual([1, 2, 3].map(happened));
  });
});

describe('events of a later version', () => {
  /** An event of the kind, written in this version. */
  const inVersion = (version: number, type = 'Happened') => {
    const codec = newCodec();
    const lifts = Array.from({ length: version - 1 }, () => () => happened(1));
    codec.learn({ kind: 'message', events: { [type]: lifts } });
    const event = { type, field1: 1 };
    codec.encode(envelope(event), []);
    return [codec.define(0, (shapes) => shapes), codec.encode(envelope(event), [])];
  };
  const ofMessages = () => {
    const codec = newCodec();
    codec.learn({ kind: 'message', events: { Happened: [() => happened(2)] } });
    return codec;
  };
  const newer = (type: string, version: number) =>
    new NewerFormat(`the journal has event 1 (message/msg_1: ${type}, version ${version})`);

  it('are not mistaken for known ones', () => {
    expect(replayed(ofMessages(), inVersion(1))).toEqual([happened(2)]);
    expect(replayed(ofMessages(), inVersion(2))).toEqual([happened(1)]);
    expect(() => replayed(ofMessages(), inVersion(3))).toThrow(newer('Happened', 3));
  });

  it('are not skipped if their type or kind is not known', () => {
    expect(() => replayed(ofMessages(), inVersion(1, 'Paused'))).toThrow(newer('Paused', 1));
    const other = newCodec();
    other.learn({ kind: 'one', events: { Happened: [] } });
    expect(() => replayed(other, inVersion(1))).toThrow(newer('Happened', 1));
  });

  it('are shown by a reader that knows no kind', () => {
    expect(replayed(newCodec(), inVersion(3, 'Paused'))).toEqual([{ type: 'Paused', field1: 1 }]);
  });

  it('include checkpoints, unless streams of the kind have some', () => {
    const checkpoints = {};
    const codec = newCodec();
    codec.learn({ kind: 'message', events: {}, checkpoints });
    expect(replayed(codec, inVersion(1, 'Checkpointed'))).toHaveLength(1);
    expect(() => replayed(ofMessages(), inVersion(1, 'Checkpointed'))).toThrow(
      newer('Checkpointed', 1),
    );
  });
});
