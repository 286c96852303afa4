/** What waits until a test lets it go on. */
export class Gate {
  private closed: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  /** Settles when all that comes may go on; null where it may go on at once. */
  get opened(): Promise<void> | null {
    return this.closed?.opened ?? null;
  }

  /** From now on all that comes waits. */
  hold(): void {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.closed = { opened, open };
  }

  /** What waits goes on, and what comes does not wait. */
  release(): void {
    this.closed?.open();
    this.closed = null;
  }
}
