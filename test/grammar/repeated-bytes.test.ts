import fc from 'fast-check';
import { RepeatedBytes } from '../../src/grammar/repeated-bytes.js';

test('bytes are distinguished from others wherever they are, and however often both come', () => {
  const ofLength = (minLength: number) =>
    fc.uint8Array({ minLength, maxLength: 6, max: 1 }).map((each) => Buffer.from(each));
  const [bytes, some] = [ofLength(0), ofLength(1)];
  fc.assert(
    fc.property(some, fc.array(bytes, { maxLength: 8 }), (kept, looked) => {
      const repeated = new RepeatedBytes();
      const place = Buffer.concat([Buffer.from('ab'), kept, Buffer.from('c')]);
      repeated.keep(place, 2, 2 + kept.length);
      place.fill(7);
      for (const other of [...looked, kept, ...looked]) {
        const at = Buffer.concat([Buffer.from('x'), other, Buffer.from('yz')]);
        expect(repeated.isAt(at, 1, 1 + other.length)).toBe(other.equals(kept));
      }
    }),
  );
});

test('a sequence that is too long to be kept is never recognised', () => {
  const repeated = new RepeatedBytes();
  const many = Buffer.alloc(1025);
  repeated.keep(many, 0, 10);
  repeated.keep(many, 0, 1025);
  expect([repeated.isAt(many, 0, 10), repeated.isAt(many, 0, 1025)]).toEqual([false, false]);
});
