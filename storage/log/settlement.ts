/** A promise that is settled from outside: what a commit group gives to those who wait for it. */
export class Settlement {
  settle: () => void = () => undefined;
  refuse: (error: Error) => void = () => undefined;
  readonly promise: Promise<void>;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.refuse = reject;
    });
    // A caller that does not wait hears of a failure through the store, not as unhandled.
    this.promise.catch(() => undefined);
  }
}
