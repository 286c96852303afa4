import fc from 'fast-check';
import { GatheredBytes } from '../../../src/http/bytes/gathered-bytes.js';

const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 });

describe('bytes that arrive in pieces', () => {
  it('are those of the pieces, in one buffer, at any moment', () => {
    fc.assert(
      fc.property(pieces, fc.nat(100), (parts, more) => {
        const bytesMax = parts.reduce((sum, { length }) => sum + length, more);
        const gathered = new GatheredBytes(bytesMax);
        const come: Uint8Array[] = [];
        for (const part of parts) {
          gathered.add(Buffer.from(part));
          come.push(part);
          expect(gathered.bytes).toEqual(Buffer.concat(come));
          expect(gathered.length).toBe(gathered.bytes.length);
        }
      }),
    );
  });

  it('are copies, because a connection reads again into the same memory', () => {
    const gathered = new GatheredBytes(10);
    const memory = Buffer.from('ab');
    gathered.add(memory);
    gathered.add(memory);
    memory.fill('x');
    expect(gathered.bytes.toString()).toBe('abab');
  });
});
