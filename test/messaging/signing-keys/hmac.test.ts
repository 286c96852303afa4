import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { HmacKey } from '../../../src/messaging/signing-keys/keyring.js';

describe('an authentication code', () => {
  it('equals that of OpenSSL, for keys of any length and successive texts', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300 });
    const secrets = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ minLength: 60, maxLength: 70 }),
    );
    fc.assert(
      fc.property(secrets, fc.array(ascii, { maxLength: 4 }), (secret, texts) => {
        const key = new HmacKey(secret);
        const codes = texts.map((text) => key.codeOf(text));
        const expected = texts.map((text) =>
          createHmac('sha256', secret).update(text).digest('base64url'),
        );
        expect(codes).toEqual(expected);
      }),
    );
  });
});
