/** A line in front of a gate: who waits for its room, oldest first, and how much of it is taken. */
import TinyQueue from 'tinyqueue';
import type { Admission } from './admission.js';
import type { Gate } from './gate.js';

export class Line {
  /** Room taken by those who are in, in the gate's own unit. */
  used = 0;
  /**
   * The one of this line that found a shared gate behind this one closed and waits there for all:
   * whoever came after it would find the same, so nobody is tried before it has passed.
   */
  delegate: Admission | null = null;
  private readonly queue = new TinyQueue<Admission>([], (a, b) => a.ticket - b.ticket);

  constructor(readonly gate: Gate) {}

  /** The oldest that waits here. */
  get head(): Admission | undefined {
    let head = this.queue.peek();
    while (head !== undefined && head.line !== this) {
      this.queue.pop(); // it gave up
      head = this.queue.peek();
    }
    return head;
  }

  get isIdle(): boolean {
    return this.used === 0 && this.delegate === null && this.head === undefined;
  }

  /** Whether there is room, and nobody who came earlier waits for it. */
  admits(admission: Admission): boolean {
    const head = this.head;
    if (head !== undefined && head.ticket < admission.ticket) return false;
    return this.gate.hasRoom(this, admission.entrant);
  }

  park(admission: Admission): void {
    admission.line = this;
    this.queue.push(admission);
  }

  /** Takes the head out, if it may be tried now. */
  next(): Admission | undefined {
    const head = this.head;
    if (head === undefined || !this.gate.hasRoom(this, head.entrant)) return undefined;
    if (this.delegate !== null && this.delegate.ticket < head.ticket) return undefined;
    this.queue.pop();
    head.line = null;
    return head;
  }
}
