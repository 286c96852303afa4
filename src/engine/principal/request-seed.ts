/**
 * Identifies a request that may come again, because another node took it and could not find out its
 * outcome (ADR 79). The events of its turns carry `term`, so the journal shows whether it was done.
 */
import { Refusal } from '../../grammar/result.js';

/** The outcome of a turn of a request that has come again since. */
const superseded: Refusal = new Refusal('unavailable', 'this request has been sent again since');

/** One per request that a node has forwarded; held by the `Caller` of that request. */
export class RequestSeed {
  private isTaken = false;
  private isOver = false;

  /** `text` has the form of a turn's seed. */
  constructor(readonly text: string) {}

  /** The index term of every event that the request caused. Hits have to be checked. */
  get term(): string {
    return `seed:${this.text}`;
  }

  /** Whether the request came again: what is left of the earlier one decides nothing any more. */
  get isSuperseded(): boolean {
    return this.isOver;
  }

  /** The outcome of a command that belongs to a superseded request. */
  readonly refuse = (): Refusal => superseded;

  /** The request has come again: what is left of this one is refused. */
  supersede(): void {
    this.isOver = true;
  }

  /** Returns this seed for the first names that the request makes, then `others`. */
  before(others: () => string): () => string {
    return () => {
      if (this.isTaken) return others();
      this.isTaken = true;
      return this.text;
    };
  }
}
