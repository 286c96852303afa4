/**
 * Limits the bytes of request bodies and answers that the process holds at once. Each owner may
 * hold a part of them, so that one credential or destination cannot keep all others waiting.
 */

/** The bytes that one owner holds, and the number of its waiting claims. */
interface OwnerUse {
  readonly name: string;
  bytes: number;
  waiting: number;
}

/** A claim that is waiting for room. */
interface Claim {
  readonly owner: OwnerUse;
  readonly bytes: number;
  readonly granted: () => void;
}

/**
 * One instance for each kind of bytes (ADR 21). It counts only what users report and allocates
 * nothing.
 */
export class ByteBudget {
  /** The most that one owner may hold, in bytes. */
  readonly ownerLimit: number;
  private usedBytes = 0;
  private readonly owners = new Map<string, OwnerUse>();
  /** Waiting claims in order of arrival. */
  private readonly claims = new Set<Claim>();
  /** A claim within its owner's share waits for bytes of others: no later one may overtake it. */
  private isFull = false;

  /** `limit` is in bytes, for all owners together; one may hold one of so many `shares` of it. */
  constructor(
    readonly limit: number,
    shares = 2,
  ) {
    this.ownerLimit = Math.floor(limit / shares);
  }

  /**
   * The bytes held now by all owners, of each at most its share: what it holds beyond that keeps
   * no other owner waiting. May exceed `limit`, because `add` does not ask for room.
   */
  get used(): number {
    return this.usedBytes;
  }

  /** The number of waiting claims. */
  get waiting(): number {
    return this.claims.size;
  }

  /** The bytes that an owner holds. */
  usedBy(owner: string): number {
    return this.owners.get(owner)?.bytes ?? 0;
  }

  /** Takes bytes if there is room now and no claim of equal right waits; returns whether it did. */
  take(owner: string, bytes: number): boolean {
    const use = this.useOf(owner);
    const hasRoom = !this.isFull && use.waiting === 0 && this.fits(use, bytes);
    if (hasRoom) this.add(use, bytes);
    else this.forget(use);
    return hasRoom;
  }

  /**
   * Takes bytes as soon as there is room, after earlier claims of this owner; then calls `granted`,
   * never synchronously. The returned function cancels the claim and does nothing once it is
   * granted. A claim for more than an owner may hold is never granted.
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

  /** Counts bytes that are held already: these do not wait for room, but others wait for them. */
  add(owner: string | OwnerUse, bytes: number): void {
    const use = typeof owner === 'string' ? this.useOf(owner) : owner;
    this.change(use, bytes);
  }

  /** Releases bytes of an owner. */
  give(owner: string, bytes: number): void {
    const use = this.useOf(owner);
    this.change(use, -bytes);
    if (use.bytes < 0) throw new Error('more bytes were given back than were taken');
    this.forget(use);
    if (this.claims.size > 0) this.grant();
  }

  private change(use: OwnerUse, bytes: number): void {
    const before = Math.min(use.bytes, this.ownerLimit);
    use.bytes += bytes;
    this.usedBytes += Math.min(use.bytes, this.ownerLimit) - before;
  }

  /** Grants the claims that fit, oldest first, but skips owners that are at their own limit. */
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
