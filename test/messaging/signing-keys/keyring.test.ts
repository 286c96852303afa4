import { createHash } from 'node:crypto';
import { Receiver } from '@upstash/qstash';
import fc from 'fast-check';
import { jwtVerify } from 'jose';
import { DeliverySigner, type SigningInput } from '../../../src/messaging/signing-keys/keyring.js';

const signer = new DeliverySigner();
const sign = (signed: SigningInput) => signer.sign(signed);

const key = 'sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r';
const input: SigningInput = {
  key,
  issuer: 'Upstash',
  url: 'https://example.com/hook?a=1&b=%20',
  body: Buffer.from('{"hello":"wörld"}'),
  now: Date.now(),
  id: 'abc',
};

describe('the signature of a delivery', () => {
  it('is accepted by the published receiver, with either of its keys', async () => {
    const body = '{"hello":"wörld"}';
    const signature = sign(input);
    const receivers = [
      new Receiver({ currentSigningKey: key, nextSigningKey: 'sig_other' }),
      new Receiver({ currentSigningKey: 'sig_other', nextSigningKey: key }),
    ];
    for (const receiver of receivers) {
      await expect(receiver.verify({ signature, body, url: input.url })).resolves.toBe(true);
      await expect(receiver.verify({ signature, body: `${body} ` })).rejects.toThrow();
      await expect(
        receiver.verify({ signature, body, url: 'https://example.com/other' }),
      ).rejects.toThrow();
    }
    const stranger = new Receiver({ currentSigningKey: 'sig_x', nextSigningKey: 'sig_y' });
    await expect(stranger.verify({ signature, body })).rejects.toThrow();
  });

  it('carries every claim that receivers require', async () => {
    const { payload, protectedHeader } = await jwtVerify(sign(input), Buffer.from(key), {
      algorithms: ['HS256'],
      issuer: 'Upstash',
      subject: input.url,
      requiredClaims: ['iss', 'sub', 'exp', 'nbf', 'iat', 'jti', 'body'],
    });
    const issuedAt = Math.floor(input.now / 1000);
    expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(payload).toMatchObject({ iat: issuedAt, exp: issuedAt + 300, nbf: 0, jti: 'jwt_abc' });
  });

  it('is refused five minutes later', async () => {
    const later = new Date(input.now + 301_000);
    await expect(jwtVerify(sign(input), Buffer.from(key), { currentDate: later })).rejects.toThrow(
      /exp/,
    );
  });

  it('signs the hash of nothing if there is no body', async () => {
    const signature = sign({ ...input, body: null });
    const receiver = new Receiver({ currentSigningKey: key, nextSigningKey: key });
    await expect(receiver.verify({ signature, body: '' })).resolves.toBe(true);
    expect(signature).toBe(sign({ ...input, body: Buffer.alloc(0) }));
  });

  it('is valid for any body, key, issuer and destination', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        fc.webUrl({ withQueryParameters: true }),
        async (body, secret, issuer, url) => {
          const token = sign({ ...input, key: secret, issuer, url, body });
          const { payload } = await jwtVerify(token, Buffer.from(secret));
          expect(payload).toMatchObject({ iss: issuer, sub: url });
          expect(payload['body']).toBe(createHash('sha256').update(body).digest('base64url'));
        },
      ),
    );
  });
});
