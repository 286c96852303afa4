/** The names of what one turn creates. */
import type { TurnNames } from './decider.js';

/** Names made from one seed; a turn that is decided again starts again at the first name. */
export class SeededNames implements TurnNames {
  private seed = '';
  private index = 0;

  constructor(private readonly makeSeed: () => string) {}

  next(prefix: string): string {
    this.seed ||= this.makeSeed();
    this.index += 1;
    return `${prefix}_${this.seed}${this.index.toString(36)}`;
  }

  restart(): void {
    this.index = 0;
  }
}
