import { bytesIn, hexLines } from '../../../src/console/web/bodies/bytes.ts';

it('a dump of bytes shows sixteen in a line, as hexadecimal numbers and as ASCII', () => {
  const bytes = bytesIn(Buffer.from('hello \x00\xff~\x7f 12345678', 'latin1').toString('base64'));
  expect(hexLines(bytes)).toBe(
    [
      '000000  68 65 6c 6c 6f 20 00 ff 7e 7f 20 31 32 33 34 35  hello ..~. 12345',
      '000010  36 37 38                                         678',
    ].join('\n'),
  );
  expect(hexLines(new Uint8Array())).toBe('');
});
