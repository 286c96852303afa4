/** The names of what one turn creates. */
import type { TurnNames } from './decider.js';
import type { Identifiers } from './identifiers.js';

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

/** Names of what a command creates that is given at `at`, where they are needed before its turn. */
export function newNames(identifiers: Identifiers, at: number): TurnNames {
  return new SeededNames(() => identifiers.turnSeed(at));
}
