/** The existing tokens, by the digests of what requests send. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { TokenView } from './token.decider.js';
import type { TokenEvent } from './token.events.js';

/** Part of memory, and of snapshots. The count lets the decider limit the number of tokens. */
export class TokenIndex implements Fold<TokenEvent>, TokenView {
  private readonly names = new Map<string, string>();
  private readonly digests = new Map<string, string>();
  readonly memory: FoldMemory = {
    name: 'tokens',
    maps: { names: this.names, digests: this.digests },
  };

  get count(): number {
    return this.digests.size;
  }

  /** The name of the token with this digest. */
  find(digest: string): string | undefined {
    return this.names.get(digest);
  }

  evolve({ id, event }: EventEnvelope<TokenEvent>, changes: TurnChanges): void {
    if (event.type === 'TokenCreated') {
      changes.set(this.names, event.digest, id);
      changes.set(this.digests, id, event.digest);
      return;
    }
    changes.delete(this.names, this.digests.get(id) ?? '');
    changes.delete(this.digests, id);
  }
}
