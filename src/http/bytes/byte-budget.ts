/**
 * How many bytes of request bodies and of answers the process holds at once. Every owner (see
 * `ownerOf`) may hold half of them, so that one credential cannot keep all others waiting.
 */

/** What one owner holds, and how many of its claims wait. */
interface OwnerUse {
  readonly name: string;
  bytes: number;
  waiting: number;
}

/** A claim that found no room yet. */
interface Claim {
  readonly owner: OwnerUse;
  readonly bytes: number;
  readonly granted: () => void;
}

/** One for the process (ADR 21). It counts what its users say and allocates nothing. */
export class ByteBudget {
  /** The most that one owner may hold, in bytes. */
  readonly ownerLimit: number;
  private usedBytes = 0;
  private readonly owners = new Map<string, OwnerUse>();
  /** In the order in which they came. */
  private readonly claims = new Set<Claim>();
  /** A claim within its owner's share waits for bytes of others: no later one may overtake it. */
  private isFull = false;

  /** `limit` is in bytes, for all owners together. */
  constructor(readonly limit: number) {
    this.ownerLimit = Math.floor(limit / 2);
  }

  /** Bytes that are held now, of all owners; more than `limit` where they were counted by `add`. */
  get used(): number {
    return this.usedBytes;
  }

  /** How many claims wait. */
  get waiting(): number {
    return this.claims.size;
  }

  /** The bytes that an owner holds. */
  usedBy(owner: string): number {
    return this.owners.get(owner)?.bytes ?? 0;
  }

  /** Takes bytes if there is room for them now, and no claim of equal right waits: false if not. */
  take(owner: string, bytes: number): boolean {
    const use = this.useOf(owner);
    const hasRoom = !this.isFull && use.waiting === 0 && this.fits(use, bytes);
    if (hasRoom) this.add(use, bytes);
    else this.forget(use);
    return hasRoom;
  }

  /**
   * Takes bytes as soon as there is room, after the claims of this owner that came before; calls
   * `granted` then, never at once. The answer cancels, and does nothing once they are granted.
   * More than an owner may ever hold is never granted.
   */
  claim(owner: string, bytes: number, granted: () => void): () => void {
    const use = this.useOf(owner);
    const claim: Claim = { owner: use, bytes, granted };
    use.waiting += 1;
    this.claims.add(claim);
    this.isFull ||= use.bytes + bytes <= this.ownerLimit && use.waiting === 1;
    return () => {
      if (!this.remove(claim)) return;
      this.forget(use);
      this.grant();
    };
  }

  /** Counts bytes that are held already: others wait for them, these do not. */
  add(owner: string | OwnerUse, bytes: number): void {
    const use = typeof owner === 'string' ? this.useOf(owner) : owner;
    use.bytes += bytes;
    this.usedBytes += bytes;
  }

  /** Gives bytes back that the owner took. */
  give(owner: string, bytes: number): void {
    const use = this.useOf(owner);
    use.bytes -= bytes;
    this.usedBytes -= bytes;
    if (use.bytes < 0) throw new Error('more bytes were given back than were taken');
    this.forget(use);
    if (this.claims.size > 0) this.grant();
  }

  /** Grants what fits, oldest first, but none of an owner that is at its own limit. */
  private grant(): void {
    const granted: Claim[] = [];
    const passed = new Set<OwnerUse>();
    this.isFull = false;
    for (const claim of this.claims) {
      const { owner, bytes } = claim;
      if (passed.has(owner)) continue;
      if (this.fits(owner, bytes)) {
        this.remove(claim);
        this.add(owner, bytes);
        granted.push(claim);
      } else if (owner.bytes + bytes > this.ownerLimit) passed.add(owner);
      else {
        this.isFull = true;
        break;
      }
    }
    for (const claim of granted) claim.granted();
  }

  private fits(owner: OwnerUse, bytes: number): boolean {
    return this.usedBytes + bytes <= this.limit && owner.bytes + bytes <= this.ownerLimit;
  }

  private remove(claim: Claim): boolean {
    if (!this.claims.delete(claim)) return false;
    claim.owner.waiting -= 1;
    return true;
  }

  private useOf(name: string): OwnerUse {
    const known = this.owners.get(name);
    if (known !== undefined) return known;
    const use = { name, bytes: 0, waiting: 0 };
    this.owners.set(name, use);
    return use;
  }

  private forget(use: OwnerUse): void {
    if (use.bytes === 0 && use.waiting === 0) this.owners.delete(use.name);
  }
}
