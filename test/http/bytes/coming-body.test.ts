import fc from 'fast-check';
import { ComingBody } from '../../../src/http/bytes/coming-body.js';

test('a body is what arrived, up to its length, in whatever pieces', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(30),
      fc.array(fc.nat(15), { maxLength: 10 }),
      (sent, length, sizes) => {
        const body = new ComingBody(length);
        let at = 0;
        for (const size of [...sizes, sent.length]) {
          const piece = Buffer.from(sent.slice(at, at + size));
          expect(body.add(piece)).toBe(Math.min(piece.length, Math.max(0, length - at)));
          at += piece.length;
        }
        const whole = sent.length < length ? null : Buffer.from(sent.slice(0, length));
        expect(body.bytes).toEqual(whole);
      },
    ),
  );
});

test('a body in one piece is not copied, and an empty one is complete at once', () => {
  const piece = Buffer.from('a body and more');
  const body = new ComingBody(6);
  body.add(piece);
  expect(body.bytes?.buffer).toBe(piece.buffer);
  expect(new ComingBody(0).bytes).toEqual(Buffer.alloc(0));
});
