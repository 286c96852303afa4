import { parseCredential } from '../../../src/topics/credentials/rest-credential.request.js';

const parse = (body: object) => parseCredential(Buffer.from(JSON.stringify(body)));
const grant = { topic: 'rides', permissions: 'ALL' };

describe('a request for a credential', () => {
  it.each([['rides'], ['rides.*'], ['*'], ['a'.repeat(249)]])('accepts the topic %s', (topic) => {
    expect(parse({ name: 'cab', topic, permissions: 'CONSUME' })).toEqual({
      ok: true,
      value: { name: 'cab', topic, permissions: 'CONSUME' },
    });
  });

  it('accepts the field name of the original control plane', () => {
    expect(parse({ credential_name: 'cab', ...grant })).toMatchObject({ value: { name: 'cab' } });
  });

  it.each([
    [{ ...grant }, 'name must have'],
    [{ name: 'a:b', ...grant }, 'name must have'],
    [{ name: 'käfer', ...grant }, 'name must have'],
    [{ name: 'a', credential_name: 'b', ...grant }, 'differ'],
    [{ name: 'a', topic: 'rides' }, 'permissions'],
    [{ name: 'a', topic: 'rides', permissions: 'ADMIN' }, 'permissions'],
    [{ name: 'a', permissions: 'ALL' }, 'topic'],
    [{ name: 'a', topic: '', permissions: 'ALL' }, 'topic'],
    [{ name: 'a', topic: 'r*des', permissions: 'ALL' }, 'topic'],
    [{ name: 'a', topic: '**', permissions: 'ALL' }, 'topic'],
    [{ name: 'a', topic: 'a/b', permissions: 'ALL' }, 'topic'],
    [{ name: 'a', ...grant, password: 'mine' }, 'password'],
  ])('of %j is refused: %s', (body, reason) => {
    const parsed = parse(body);
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
  });
});
