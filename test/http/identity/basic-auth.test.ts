import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Refusal } from '../../../src/grammar/result.js';
import { statusOf } from '../../../src/http/error-shapes.js';
import {
  BasicCredentials,
  type KnownCredential,
  pairDigest,
} from '../../../src/http/identity/basic-auth.js';
import type { Permissions } from '../../../src/http/identity/grant.js';

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function requestWith(authorization: string | undefined, url = '/topics'): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.url = url;
  if (authorization !== undefined) request.headers.authorization = authorization;
  return request;
}

const known = new Map<string, KnownCredential>();
const credentials = new BasicCredentials('owner', 'pass:word');
credentials.alsoKnow((username) => known.get(username));

function know(username: string, permissions: Permissions, topic: string): string {
  known.set(username, { permissions, topic, digest: pairDigest(username, 'secret') });
  return basic(username, 'secret');
}

const statusFor = (authorization: string) => {
  const refusal = credentials.admit(requestWith(authorization)).refusal;
  return refusal && statusOf(refusal);
};

describe('the configured pair', () => {
  it('enters and may do everything', () => {
    const request = requestWith(basic('owner', 'pass:word'));
    expect(credentials.admit(request).refusal).toBeUndefined();
    for (const right of ['produce', 'consume', 'administer'] as const) {
      expect(credentials.judgeRight(request, right, 'rides')).toBeUndefined();
      expect(credentials.judgeRight(request, right, null)).toBeUndefined();
    }
    expect(credentials.mayName(request, 'rides')).toBe(true);
  });

  it('is not replaced by a created credential of its name', () => {
    const other = know('owner', 'ALL', '*');
    expect(statusFor(other)).toBe(401);
    expect(statusFor(basic('owner', 'pass:word'))).toBeUndefined();
  });
});

describe('a created credential', () => {
  it('is refused with a wrong password, and as soon as it is deleted', () => {
    const right = know('short-lived', 'ALL', '*');
    expect(statusFor(basic('short-lived', 'wrong'))).toBe(401);
    expect(statusFor(right)).toBeUndefined();
    known.delete('short-lived');
    expect(statusFor(right)).toBe(401);
  });

  it('that was recreated under its name accepts only the new password', () => {
    const before = know('again', 'ALL', '*');
    expect(statusFor(before)).toBeUndefined();
    known.set('again', { permissions: 'ALL', topic: '*', digest: pairDigest('again', 'new') });
    expect(statusFor(before)).toBe(401);
    expect(statusFor(basic('again', 'new'))).toBeUndefined();
  });

  it.each([
    ['PRODUCE', 'rides', 'produce', 'rides', true],
    ['PRODUCE', 'rides', 'produce', 'rides2', false],
    ['PRODUCE', 'rides', 'consume', 'rides', false],
    ['PRODUCE', '*', 'administer', null, false],
    ['CONSUME', 'ri*', 'consume', 'rides', true],
    ['CONSUME', 'ri*', 'consume', 'ri', true],
    ['CONSUME', 'ri*', 'consume', 'bills', false],
    ['CONSUME', 'ri*', 'produce', 'rides', false],
    ['CONSUME', 'ri*', 'consume', null, true],
    ['PRODUCE', 'ri*', 'consume', null, false],
    ['ALL', 'ri*', 'produce', 'rides', true],
    ['ALL', 'ri*', 'consume', 'rides', true],
    ['ALL', 'ri*', 'administer', null, false],
    ['ALL', '*', 'administer', null, true],
  ] as const)('for %s on %s may %s %s: %s', (permissions, pattern, right, topic, may) => {
    const request = requestWith(know('reader', permissions, pattern));
    const refusal = credentials.judgeRight(request, right, topic);
    if (may) expect(refusal).toBeUndefined();
    else expect(refusal).toMatchObject(new Refusal('forbidden', expect.stringContaining(right)));
    if (refusal !== undefined && topic !== null) expect(refusal.message).toContain(topic);
  });

  it('may name only the topics of its pattern', () => {
    const request = requestWith(know('reader', 'PRODUCE', 'ri*'));
    expect(credentials.mayName(request, 'rides')).toBe(true);
    expect(credentials.mayName(request, 'bills')).toBe(false);
  });
});

describe('credentials in the query', () => {
  const enter = (url: string, authorization?: string) => {
    const refusal = credentials.admit(requestWith(authorization, url)).refusal;
    return refusal && statusOf(refusal);
  };

  it('admit a webhook, percent-encoded', () => {
    expect(enter('/webhook?topic=t&user=owner&pass=pass%3Aword')).toBeUndefined();
    expect(enter('/webhook/?pass=pass:word&user=owner')).toBeUndefined();
  });

  it.each([
    ['/webhook?user=owner&pass=wrong'],
    ['/webhook?user=owner'],
    ['/webhook?pass=pass:word'],
    ['/webhook?user=owner&pass=%ff'],
    ['/webhook'],
    ['/webhooks?user=owner&pass=pass:word'],
    ['/produce/webhook?user=owner&pass=pass:word'],
    ['/topics?user=owner&pass=pass:word'],
  ])('do not admit %s', (url) => {
    expect(enter(url)).toBe(401);
  });

  it('are ignored if there is a header', () => {
    const url = '/webhook?user=owner&pass=pass:word';
    expect(enter(url, basic('owner', 'wrong'))).toBe(401);
  });
});
