/**
 * Created tokens as the check of a request sees them: whether they are valid, and when they were
 * used.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { BearerToken } from '../../http/identity/bearer-token.js';
import { Tokens } from './token.entity.js';

/**
 * Queried for every request with a created token, so it uses memory only. When a token was used is
 * not durable.
 */
@Injectable()
export class KnownTokens {
  /** Since the start of the process, in Unix ms. */
  private readonly usedAt = new Map<string, number>();

  constructor(
    private readonly tokens: Tokens,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The token with this digest; undefined if there is no valid one. */
  find(digest: string): BearerToken | undefined {
    const name = this.tokens.nameOf(digest);
    if (name === undefined || !this.isGood(name)) return undefined;
    this.usedAt.set(name, this.clock.now());
    return this.tokens.stateOf(name) ?? undefined;
  }

  /** Whether a token of this name is valid now. */
  isGood(name: string): boolean {
    const state = this.tokens.stateOf(name);
    return state !== null && (state.expiresAt === null || state.expiresAt > this.clock.now());
  }

  /** When a token was last used, in Unix ms; null if not since the start. */
  lastUsedAt(name: string): number | null {
    return this.usedAt.get(name) ?? null;
  }

  /** Called when a token is gone: a later token of the same name has not been used. */
  forget(name: string): void {
    this.usedAt.delete(name);
  }
}
