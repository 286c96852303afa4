import { type Attempt, lastAnswer } from '../../src/dead-letters/last-answer.js';
import { envelope } from '../support/envelope.js';

const kept = 64 * 1024;

function answered(status: number, body: Buffer | null, changes: Partial<Attempt['event']> = {}) {
  const event = { type: 'MessageFailed', attempt: 0, startedAt: 0, durationMs: 1, status };
  return lastAnswer(envelope({ headers: [], error: null, ...event, ...changes }, { body }));
}

describe('the last answer', () => {
  it('is what the destination said', () => {
    const headers = ['x-why', 'gone', 'set-cookie', 'a', 'set-cookie', 'b'];
    expect(answered(404, Buffer.from('nobody here'), { headers })).toEqual({
      responseStatus: 404,
      responseHeader: { 'X-Why': ['gone'], 'Set-Cookie': ['a', 'b'] },
      responseBody: 'nobody here',
    });
  });

  it('has no body where there was none', () => {
    expect(answered(500, null)).toEqual({ responseStatus: 500, responseHeader: {} });
  });

  it('says why there was none at all', () => {
    expect(answered(0, null, { error: 'connection refused' })).toEqual({
      responseStatus: 0,
      responseHeader: {},
      responseBody: 'connection refused',
    });
  });

  it('is in base64 where it is no text', () => {
    const body = Buffer.from([0xff, 0x00]);
    expect(answered(500, body)).toMatchObject({ responseBodyBase64: '/wA=' });
    expect(answered(500, body)).not.toHaveProperty('responseBody');
  });

  it.each(['a', 'é', '€', '😀'])('of many %s keeps whole ones, within 64 KiB', (character) => {
    const { responseBody = '' } = answered(500, Buffer.from(character.repeat(kept)));
    const each = Buffer.byteLength(character);
    expect(Buffer.byteLength(responseBody)).toBe(Math.floor(kept / each) * each);
    expect([...responseBody].every((one) => one === character)).toBe(true);
  });

  it('that is no text keeps its first 64 KiB', () => {
    const { responseBodyBase64 = '' } = answered(500, Buffer.alloc(kept + 1, 0xff));
    expect(Buffer.from(responseBodyBase64, 'base64')).toEqual(Buffer.alloc(kept, 0xff));
  });
});
