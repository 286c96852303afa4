/** Names in the order in which they were last touched. */
export class LeastUsed {
  /** From the least to the most recently touched. Read it only. */
  readonly names = new Set<string>();

  /** It is the most recently touched one now. */
  touch(name: string): void {
    this.names.delete(name);
    this.names.add(name);
  }

  forget(name: string): void {
    this.names.delete(name);
  }

  /**
   * Forgets the least recently touched while more than `max` are left, and passes each to `rest`,
   * until that answers false: then that one stays.
   */
  shrink(max: number, rest: (name: string) => boolean): void {
    for (const name of this.names) {
      if (this.names.size <= max || !rest(name)) return;
      this.names.delete(name);
    }
  }
}
