/**
 * The decider of a credential of the log interface: it is created once, never changed, and deleted.
 */
import { accept, type Decider } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { KnownCredential } from '../../http/identity/basic-auth.js';
import type { RestCredentialCommand } from './rest-credential.commands.js';
import { type RestCredentialEvent, restCredentialKind } from './rest-credential.events.js';

/** An existing credential; null = it does not exist. */
export type RestCredentialState = (KnownCredential & { readonly createdAt: number }) | null;

/** 409 for a name that is taken; 404 for a credential that does not exist. */
export const restCredentialDecider: Decider<
  RestCredentialState,
  RestCredentialCommand,
  RestCredentialEvent
> = {
  kind: restCredentialKind,
  events: { RestCredentialCreated: [], RestCredentialDeleted: [] },
  initialState: () => null,
  decide: (command, state) => {
    const { id } = command;
    if (command.type === 'DeleteRestCredential') {
      return state === null
        ? new Refusal('not_found', `credential ${id} not found`)
        : accept([{ type: 'RestCredentialDeleted' }]);
    }
    // The rights of a credential never change, because its holder would not learn of a change.
    if (state !== null) return new Refusal('conflict', `credential ${id} exists already`);
    const { digest, permissions, topic } = command;
    return accept([{ type: 'RestCredentialCreated', digest, permissions, topic }]);
  },
  evolve: (_state, event, { at }) => {
    if (event.type === 'RestCredentialDeleted') return null;
    const { digest, permissions, topic } = event;
    return { digest: Buffer.from(digest, 'hex'), permissions, topic, createdAt: at };
  },
  wants: () => [],
  isFinal: (state) => state === null,
};
