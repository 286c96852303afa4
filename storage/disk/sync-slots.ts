/** At most so many fdatasyncs at once: more only make each of them slower. */

/** Slots handed out in the order of asking. */
export class SyncSlots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run(work: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
