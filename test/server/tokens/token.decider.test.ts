import { tokenDecider } from '../../../src/server/tokens/token.decider.js';
import type { TokenEvent } from '../../../src/server/tokens/token.events.js';
import { epochMs, given } from '../../support/given.js';

const at = epochMs + 60_000;
const address = { kind: 'token', id: 'it', at };
const fields = { digest: 'ab'.repeat(32), role: 'operate', expiresAt: null } as const;
const create = { type: 'CreateToken', ...address, ...fields } as const;
const revoke = { type: 'RevokeToken', ...address } as const;
const expire = { type: 'ExpireToken', ...address } as const;
const created: TokenEvent = { type: 'TokenCreated', ...fields };
const brief: TokenEvent = { ...created, expiresAt: at };
const revoked: TokenEvent = { type: 'TokenRevoked' };
const view = (count: number) => ({ count, find: () => undefined });
const token = (...history: TokenEvent[]) => given(tokenDecider, view(0), ...history);

describe('a token', () => {
  it('is created with its role and the digest of its secret', () => {
    const { events, state, isFinal } = token().when(create);
    expect(events).toEqual([created]);
    expect(state).toEqual({
      principal: 'token:it',
      role: 'operate',
      createdAt: epochMs,
      expiresAt: null,
    });
    expect(isFinal).toBe(false);
  });

  it('is not created twice, or with an expiry in the past', () => {
    expect(token(created).when({ ...create, role: 'admin' })).toMatchObject({
      rejected: { code: 'conflict' },
    });
    expect(token().when({ ...create, expiresAt: at })).toMatchObject({
      rejected: { code: 'invalid' },
    });
    expect(token().when({ ...create, expiresAt: at + 1 }).events).toHaveLength(1);
  });

  it('is one of at most a thousand', () => {
    const full = given(tokenDecider, view(1000));
    expect(full.when(create)).toMatchObject({ rejected: { code: 'conflict' } });
  });

  it('is gone once it is revoked, and its name can be used again', () => {
    expect(token(created).when(revoke)).toMatchObject({ events: [revoked], isFinal: true });
    expect(token(created, revoked).when(create).events).toEqual([created]);
    expect(token().when(revoke)).toMatchObject({ rejected: { code: 'not_found' } });
  });

  it('asks to expire when its time is over, and only then does', () => {
    expect(token(created).wants()).toEqual([]);
    expect(token(brief).wants()).toEqual([{ kind: 'expireToken', id: 'expiry', notBefore: at }]);
    expect(token(brief).when({ ...expire, at: at - 1 }).events).toEqual([]);
    expect(token(brief).when(expire)).toMatchObject({
      events: [{ type: 'TokenExpired' }],
      isFinal: true,
    });
    // It was created again meanwhile.
    expect(token(brief, revoked, created).when(expire).events).toEqual([]);
  });
});
