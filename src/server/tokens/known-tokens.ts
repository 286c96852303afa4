/** Created tokens as the check of a request sees them: good or not, and when they were used. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { BearerToken } from '../../http/identity/bearer-token.js';
import { Tokens } from './token.entity.js';

/**
 * Asked for every request with a created token, so it looks at memory alone. When a token was used
 * is not durable.
 */
@Injectable()
export class KnownTokens {
  /** Since the start of the process, Unix milliseconds. */
  private readonly usedAt = new Map<string, number>();

  constructor(
    private readonly tokens: Tokens,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The token with this digest; undefined where there is none that is good now. */
  find(digest: string): BearerToken | undefined {
    const name = this.tokens.nameOf(digest);
    if (name === undefined || !this.isGood(name)) return undefined;
    this.usedAt.set(name, this.clock.now());
    return this.tokens.stateOf(name) ?? undefined;
  }

  /** Whether a token of this name is good now. */
  isGood(name: string): boolean {
    const state = this.tokens.stateOf(name);
    return state !== null && (state.expiresAt === null || state.expiresAt > this.clock.now());
  }

  /** When a token was used last, Unix milliseconds; null = not since the start. */
  lastUsedAt(name: string): number | null {
    return this.usedAt.get(name) ?? null;
  }

  /** A token of this name is gone: one that is made later has not been used. */
  forget(name: string): void {
    this.usedAt.delete(name);
  }
}
