/** The destination of what a case delivers, seen from the bench. */
import type { Arrivals, Progress, SinkQuestion } from '../load/arrivals.js';
import { MeasuredProcess } from './measured-process.js';

const lookEveryMs = 100;

/** So long without an arrival means that nothing more will come. */
const stalledMs = 10_000;

export class Sink {
  private constructor(private readonly process: MeasuredProcess) {}

  /** Starts a program that counts arrivals: the plain one, which answers 200 to everything. */
  static async start(
    program = 'bench/programs/sink.program.js',
    settings: object = {},
  ): Promise<Sink> {
    return new Sink(await MeasuredProcess.start(program, [JSON.stringify(settings)]));
  }

  /** `http://host:port`, without a slash at its end. */
  get origin(): string {
    return this.process.address;
  }

  /**
   * Waits until `count` messages have arrived since the last time, no more and no fewer, and begins
   * anew. Rejects if there are more, or if they stop coming.
   */
  async arrivals(count: number): Promise<Arrivals> {
    let arrived = -1;
    let since = performance.now();
    for (;;) {
      const found = await this.look();
      if (found.count > count) throw new Error(`${found.count} of ${count} messages arrived`);
      if (found.count === count)
        return this.process.ask<Arrivals>({ clear: true } satisfies SinkQuestion);
      const now = performance.now();
      if (found.count !== arrived) since = now;
      else if (now - since > stalledMs) {
        throw new Error(`only ${arrived} of ${count} messages arrived`);
      }
      arrived = found.count;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  stop(): Promise<void> {
    return this.process.stop();
  }

  /** How far it is. */
  private look(): Promise<Progress> {
    return this.process.ask<Progress>({ clear: false } satisfies SinkQuestion);
  }
}
