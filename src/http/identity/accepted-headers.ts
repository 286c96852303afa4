/** Remembers credentials that clients show repeatedly, so that each is hashed only once. */

/** Limit for remembered values; a client uses one spelling of its credential. */
const spellingsMax = 1024;

/**
 * `Authorization` values that were valid once, and their meaning; the credential that they name is
 * looked up each time. The oldest are dropped first, so that new ones are always remembered.
 */
export class AcceptedHeaders<Meaning> {
  private readonly meanings = new Map<string, Meaning>();

  /** The meaning of a value; undefined = it is not remembered. */
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
