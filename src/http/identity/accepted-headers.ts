/** What clients show again and again is hashed once. */

/** A client has one spelling of its credential. */
const spellingsMax = 1024;

/**
 * `Authorization` values that were found good once, and what they mean; who they name is looked up
 * each time. The oldest go first, so that new ones are remembered however many there have been.
 */
export class AcceptedHeaders<Meaning> {
  private readonly meanings = new Map<string, Meaning>();

  /** Undefined for a value that is not remembered. */
  meaningOf(authorization: string): Meaning | undefined {
    return this.meanings.get(authorization);
  }

  remember(authorization: string, meaning: Meaning): void {
    if (this.meanings.has(authorization)) return;
    if (this.meanings.size >= spellingsMax) {
      const [oldest = ''] = this.meanings.keys();
      this.meanings.delete(oldest);
    }
    this.meanings.set(authorization, meaning);
  }
}
