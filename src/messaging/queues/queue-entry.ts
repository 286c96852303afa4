/** One message in a queue, from its publish until it and all its callbacks are final. */

export class QueueEntry {
  /** Its place in the order of joining, from 1; 0 = its delay has not passed. */
  place = 0;
  /** Whether the message is final. */
  isFinal = false;
  /** Callbacks that were sent because of it and are not final. */
  openCallbacks = 0;
  /** It holds up no other entry any more. */
  hasLeft = false;

  constructor(
    readonly messageId: string,
    readonly queueName: string,
    /** When its delay has passed, Unix milliseconds. */
    readonly joinsAt: number,
    /** Journal offset of its publish. */
    readonly offset: number,
  ) {}

  /** It and all its callbacks are final: it leaves the queue. */
  get isDone(): boolean {
    return this.isFinal && this.openCallbacks === 0;
  }
}
