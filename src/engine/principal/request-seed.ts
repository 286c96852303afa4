/**
 * What a request is known by that may come again: another node took it, and could not tell what had
 * become of it (ADR 79). Events of its turns carry `term`, so the journal tells that it was done.
 */
import { Refusal } from '../../grammar/result.js';

/** What a turn of a request decides that came again since. */
const superseded: Refusal = new Refusal('unavailable', 'this request was sent again since');

/** One for each request that a node has passed on; the caller of that request holds it. */
export class RequestSeed {
  private isTaken = false;
  private isOver = false;

  /** `text` is made like the seed of a turn. */
  constructor(readonly text: string) {}

  /** The index term of every event that the request caused. Hits have to be checked. */
  get term(): string {
    return `seed:${this.text}`;
  }

  /** Whether the request came again: what is left of the earlier one decides nothing any more. */
  get isSuperseded(): boolean {
    return this.isOver;
  }

  /** What a command is answered that belongs to a superseded request. */
  readonly refuse = (): Refusal => superseded;

  /** The request has come again: what is left of this one is refused. */
  supersede(): void {
    this.isOver = true;
  }

  /** This one for the first names that the request makes, then `others`. */
  before(others: () => string): () => string {
    return () => {
      if (this.isTaken) return others();
      this.isTaken = true;
      return this.text;
    };
  }
}
