/** One message in a queue, from its publish until it and all its callbacks are final. */

export class QueueEntry {
  /** Its place in the order of joining, from 1; 0 = its delay has not passed yet. */
  place = 0;
  /** Whether the message is final. */
  isFinal = false;
  /** Callbacks of the message that are not final. */
  openCallbacks = 0;
  /** The entry has left the queue and no longer blocks others. */
  hasLeft = false;

  constructor(
    readonly messageId: string,
    readonly queueName: string,
    /** When its delay ends, Unix milliseconds. */
    readonly joinsAt: number,
    /** Journal offset of its publish. */
    readonly offset: number,
  ) {}

  /** The message and all its callbacks are final, so it leaves the queue. */
  get isDone(): boolean {
    return this.isFinal && this.openCallbacks === 0;
  }
}
