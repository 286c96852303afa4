import { parseCursor, StreamCursor } from '../../../src/topics/consume/stream-cursor.js';
import { JsonPieces } from '../../../src/topics/records/json-pieces.js';
import { type OwnedPartition, Positions } from '../../../src/topics/sessions/positions.js';

const places = [0, 1].map((partition) => ({ topic: 'rides', partition }));

/** The ids of records that are sent together and end at these ascending offsets. */
function idsOf(cursor: StreamCursor, own: OwnedPartition, ...ends: readonly number[]): string[] {
  const writeId = cursor.idsOf(own, ends.at(-1) ?? Number.NaN);
  return ends.map((end) => {
    const json = new JsonPieces();
    writeId(json, end);
    return json.toBuffer().toString();
  });
}

describe('the id of a streamed record', () => {
  it('names the partitions that have sent more than was acknowledged, and no others', () => {
    const positions = new Positions();
    positions.own(places);
    const [zero, one] = positions.all;
    if (zero === undefined || one === undefined) throw new Error('owns nothing');
    zero.begin(5);
    one.begin(7);
    const cursor = new StreamCursor(positions);
    const idAt = (own: OwnedPartition, next: number) => idsOf(cursor, own, next).join();
    expect(idAt(zero, 6)).toBe('rides/0/6');
    expect(idAt(one, 8)).toBe('rides/0/6,rides/1/8');
    zero.resume(6);
    expect(idAt(one, 9)).toBe('rides/1/9');
    positions.own(places.slice(0, 1));
    expect(idAt(zero, 7)).toBe('rides/0/7');
  });

  it('differs in one number from the ids sent with it', () => {
    const positions = new Positions();
    positions.own([0, 1, 2].map((partition) => ({ topic: 'rides', partition })));
    const [zero, one, two] = positions.all;
    if (zero === undefined || one === undefined || two === undefined) throw new Error('owns none');
    for (const own of positions.all) own.begin(5);
    const cursor = new StreamCursor(positions);
    expect(idsOf(cursor, zero, 6, 7)).toEqual(['rides/0/6', 'rides/0/7']);
    expect(idsOf(cursor, one, 6)).toEqual(['rides/0/7,rides/1/6']);
    expect(idsOf(cursor, zero, 8, 12)).toEqual(['rides/0/8,rides/1/6', 'rides/0/12,rides/1/6']);
    // Records of partitions that are lost by now, or that were committed meanwhile, are not
    // reported.
    zero.resume(13);
    expect(idsOf(cursor, zero, 13, 14)).toEqual(['rides/1/6', 'rides/0/14,rides/1/6']);
    positions.own([one, two]);
    expect(idsOf(cursor, zero, 15)).toEqual(['rides/1/6']);
    expect(idsOf(cursor, two, 6)).toEqual(['rides/1/6,rides/2/6']);
  });

  it('is parsed when the client sends it back', () => {
    expect(parseCursor('rides/0/6,a.b-c_d/1/8')).toEqual({
      ok: true,
      value: [
        { topic: 'rides', partition: 0, offset: 6 },
        { topic: 'a.b-c_d', partition: 1, offset: 8 },
      ],
    });
    expect(parseCursor('')).toEqual({ ok: true, value: [] });
    expect(parseCursor(undefined)).toEqual({ ok: true, value: [] });
  });

  it.each([
    'rides',
    'rides/0',
    'rides/0/x',
    'rides/0/1,',
    ',rides/0/1',
    'ri des/0/1',
    'rides/0/-1',
  ])('cannot be %j', (text) => {
    expect(parseCursor(text).ok).toBe(false);
  });
});
