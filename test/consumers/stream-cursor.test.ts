import { Positions } from '../../src/consumers/positions.js';
import { parseCursor, StreamCursor } from '../../src/consumers/stream-cursor.js';

const places = [0, 1].map((partition) => ({ topic: 'rides', partition }));

describe('the id of a streamed record', () => {
  it('tells of partitions that have more than was acknowledged, and of no others', () => {
    const positions = new Positions();
    positions.own(places);
    const [zero, one] = positions.all;
    if (zero === undefined || one === undefined) throw new Error('owns nothing');
    zero.begin(5);
    one.begin(7);
    const cursor = new StreamCursor(positions);
    expect(cursor.idAt(zero, 6)).toBe('rides/0/6');
    expect(cursor.idAt(one, 8)).toBe('rides/0/6,rides/1/8');
    zero.resume(6);
    expect(cursor.idAt(one, 9)).toBe('rides/1/9');
    positions.own(places.slice(0, 1));
    expect(cursor.idAt(zero, 7)).toBe('rides/0/7');
  });

  it('is understood when it comes back', () => {
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
  ])('is not %j', (text) => {
    expect(parseCursor(text).ok).toBe(false);
  });
});
