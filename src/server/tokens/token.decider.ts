/** A bearer token: created once, never changed, then revoked or expired. */
import { accept, type Decider, type Effect } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { BearerToken } from '../../http/identity/bearer-token.js';
import type { CreateToken, TokenCommand } from './token.commands.js';
import { type TokenEvent, tokenKind } from './token.events.js';

/** A token that exists; null if it does not. */
export type TokenState =
  | (BearerToken & { readonly createdAt: number; readonly expiresAt: number | null })
  | null;

/** What decisions depend on besides the token itself. */
export interface TokenView {
  /** How many tokens there are. */
  readonly count: number;
  /** The name of the token with this digest. */
  find(digest: string): string | undefined;
}

/** Removes the token when it expires. */
export interface ExpireTokenEffect extends Effect {
  readonly kind: 'expireToken';
}

/** More than a team needs; listing the tokens reads all of them. */
const tokensMax = 1000;

/** The principal in the journal for what a token of this name did. */
function tokenPrincipal(name: string): string {
  return `token:${name}`;
}

/**
 * Refuses a name or a digest that is taken (409), an expiry in the past (400), more tokens than
 * allowed (409), and an unknown token (404).
 */
export const tokenDecider: Decider<TokenState, TokenCommand, TokenEvent, TokenView> = {
  kind: tokenKind,
  events: { TokenCreated: [], TokenRevoked: [], TokenExpired: [] },
  initialState: () => null,
  decide: (command, state, view) => {
    if (command.type === 'CreateToken') return decideCreation(command, state, view);
    const { id, at } = command;
    if (state === null) return new Refusal('not_found', `token ${id} not found`);
    if (command.type === 'RevokeToken') return accept([{ type: 'TokenRevoked' }]);
    // A later token of the same name may expire later.
    const isOver = state.expiresAt !== null && state.expiresAt <= at;
    return accept(isOver ? [{ type: 'TokenExpired' }] : []);
  },
  evolve: (_state, event, { id, at }) => {
    if (event.type !== 'TokenCreated') return null;
    const { role, expiresAt } = event;
    return { principal: tokenPrincipal(id), role, createdAt: at, expiresAt };
  },
  wants: (state): readonly ExpireTokenEffect[] => {
    const expiresAt = state?.expiresAt ?? null;
    return expiresAt === null ? [] : [{ kind: 'expireToken', id: 'expiry', notBefore: expiresAt }];
  },
  isFinal: (state) => state === null,
};

function decideCreation(
  { id, at, digest, role, expiresAt }: CreateToken,
  state: TokenState,
  view: TokenView,
) {
  // The rights of a token never change, as its holder would not learn of the change.
  if (state !== null) return new Refusal('conflict', `token ${id} exists already`);
  if (expiresAt !== null && expiresAt <= at) {
    return new Refusal('invalid', 'expiresAt is in the past; it is Unix milliseconds');
  }
  if (view.find(digest) !== undefined)
    return new Refusal('conflict', 'another token has this digest');
  if (view.count >= tokensMax)
    return new Refusal('conflict', `there are ${tokensMax} tokens already`);
  return accept<TokenEvent>([{ type: 'TokenCreated', digest, role, expiresAt }]);
}
