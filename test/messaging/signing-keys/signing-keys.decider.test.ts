import type { RotateSigningKeys } from '../../../src/messaging/signing-keys/signing-keys.commands.js';
import {
  isRotatedFrom,
  keysInUse,
  signingKeysDecider,
} from '../../../src/messaging/signing-keys/signing-keys.decider.js';
import { epochMs, given } from '../../support/given.js';

const configured = { current: 'sig_1', next: 'sig_2' };
const rotate = (fresh: string, pair = configured): RotateSigningKeys => ({
  type: 'RotateSigningKeys',
  kind: 'signing-keys',
  id: 'keys',
  at: epochMs,
  configured: pair,
  fresh,
});

const rotated = (...fresh: string[]) => {
  let history = given(signingKeysDecider, null);
  const events = [];
  for (const key of fresh) {
    events.push(...(history.when(rotate(key)).events ?? []));
    history = given(signingKeysDecider, null, ...events);
  }
  return history;
};

describe('signing keys', () => {
  it('are the configured ones before the first rotation', () => {
    expect(keysInUse(rotated().state, configured)).toEqual(configured);
    expect(isRotatedFrom(rotated().state, configured)).toBe(false);
  });

  it('move up by one with each rotation', () => {
    expect(keysInUse(rotated('sig_3').state, configured)).toEqual({
      current: 'sig_2',
      next: 'sig_3',
    });
    expect(keysInUse(rotated('sig_3', 'sig_4').state, configured)).toEqual({
      current: 'sig_3',
      next: 'sig_4',
    });
  });

  it('are returned by a rotation as the pair that signs from now on', () => {
    expect(rotated().when(rotate('sig_3')).result).toEqual({ current: 'sig_2', next: 'sig_3' });
  });

  it('start anew when another pair is configured', () => {
    const other = { current: 'sig_8', next: 'sig_9' };
    const history = rotated('sig_3');
    expect(keysInUse(history.state, other)).toEqual(other);
    expect(history.when(rotate('sig_10', other)).result).toEqual({
      current: 'sig_9',
      next: 'sig_10',
    });
  });

  it('are never final', () => {
    expect(rotated('sig_3').when(rotate('sig_4')).isFinal).toBe(false);
  });
});
