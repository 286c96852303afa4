import { lastAnswer } from '../../../src/messaging/dead-letters/last-answer.js';
import type { AttemptEvent } from '../../../src/messaging/messages/message.events.js';
import { envelope } from '../../support/envelope.js';
import { wire } from '../../support/wire.js';

const kept = 64 * 1024;

function answered(
  status: number,
  body: Buffer | null,
  changes: Partial<AttemptEvent['event']> = {},
) {
  const event = { type: 'MessageFailed', attempt: 0, startedAt: 0, durationMs: 1, status };
  return wire(lastAnswer(envelope({ headers: [], error: null, ...event, ...changes }, { body })));
}

describe('the last answer', () => {
  it('is the answer of the destination', () => {
    const headers = ['x-why', 'gone', 'set-cookie', 'a', 'set-cookie', 'b'];
    expect(answered(404, Buffer.from('nobody here'), { headers })).toEqual({
      responseStatus: 404,
      responseHeader: { 'X-Why': ['gone'], 'Set-Cookie': ['a', 'b'] },
      responseBody: 'nobody here',
    });
  });

  it('has no body if there was none', () => {
    expect(answered(500, null)).toEqual({ responseStatus: 500, responseHeader: {} });
  });

  it('gives the reason if there was no answer at all', () => {
    expect(answered(0, null, { error: 'connection refused' })).toEqual({
      responseStatus: 0,
      responseHeader: {},
      responseBody: 'connection refused',
    });
  });

  it('is in base64 if it is not text', () => {
    const body = Buffer.from([0xff, 0x00]);
    expect(answered(500, body)).toMatchObject({ responseBodyBase64: '/wA=' });
    expect(answered(500, body)).not.toHaveProperty('responseBody');
  });

  it('is everything that was stored', () => {
    const { responseBody } = answered(500, Buffer.from('€'.repeat(200_000)));
    expect(responseBody === '€'.repeat(200_000)).toBe(true);
  });

  it.each(['a', 'é', '€', '😀'])('has whole characters if cut within %s', (character) => {
    const stored = Buffer.from(character.repeat(kept + 1)).subarray(0, kept + 1);
    const { responseBody = '' } = answered(500, stored, { bodyTruncated: true });
    const whole = Math.floor((kept + 1) / Buffer.byteLength(character));
    expect(responseBody === character.repeat(whole)).toBe(true);
  });

  it('has whole characters if an earlier version did not record that it was cut', () => {
    const { responseBody } = answered(500, Buffer.from('€'.repeat(kept)).subarray(0, kept));
    expect(responseBody === '€'.repeat(Math.floor(kept / 3))).toBe(true);
  });

  it('is kept as it was cut if it is not text', () => {
    const stored = Buffer.alloc(kept + 1, 0xff);
    const { responseBodyBase64 = '' } = answered(500, stored, { bodyTruncated: true });
    expect(Buffer.from(responseBodyBase64, 'base64')).toEqual(stored);
  });
});
