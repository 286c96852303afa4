/**
 * Decides which keys sign. The configured keys are used until they are rotated. From then on the
 * keys in the journal are used, as long as the configuration still names the pair that the
 * rotations began with; another configured pair starts anew.
 */
import { createHash } from 'node:crypto';
import { accept, type Decider } from '../../engine/decider.js';
import type { KeyPair, RotateSigningKeys } from './signing-keys.commands.js';
import { type SigningKeysEvent, signingKeysKind } from './signing-keys.events.js';

/** The last rotation, or null before the first. */
export type SigningKeysState =
  | (KeyPair & { readonly startedFrom: string; readonly rotated: true })
  | { readonly rotated: false };

const neverRotated: SigningKeysState = { rotated: false };

/** The keys that sign now. */
export function keysInUse(state: SigningKeysState, configured: KeyPair): KeyPair {
  return isRotatedFrom(state, configured)
    ? { current: state.current, next: state.next }
    : configured;
}

/** Whether the keys in the journal replace the configured ones. */
export function isRotatedFrom(
  state: SigningKeysState,
  configured: KeyPair,
): state is SigningKeysState & { rotated: true } {
  return state.rotated && state.startedFrom === fingerprint(configured);
}

/** Identifies a pair of keys without revealing it. */
function fingerprint(pair: KeyPair): string {
  return createHash('sha256')
    .update(JSON.stringify([pair.current, pair.next]))
    .digest('hex');
}

/** Refuses nothing. The result of a rotation is the pair that signs from then on. */
export const signingKeysDecider: Decider<SigningKeysState, RotateSigningKeys, SigningKeysEvent> = {
  kind: signingKeysKind,
  events: { SigningKeysRotated: [] },
  initialState: () => neverRotated,
  decide: ({ configured, fresh }, state) => {
    const rotated: KeyPair = { current: keysInUse(state, configured).next, next: fresh };
    const startedFrom = fingerprint(configured);
    return accept([{ type: 'SigningKeysRotated', startedFrom, ...rotated }], rotated);
  },
  evolve: (_state, { startedFrom, current, next }) => ({
    rotated: true,
    startedFrom,
    current,
    next,
  }),
  wants: () => [],
  isFinal: () => false,
  checkpoints: { references: () => [] },
};
