/** A line in front of a gate: who waits for its room, in which order, and how much is taken. */
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
  private readonly queue = new TinyQueue<Admission>([], (a, b) => a.rank - b.rank);
  private parked = 0;

  /**
   * `rankOf` tells who goes first, lowest first: by default the order of arrival. Whoever waits
   * keeps the rank that it came with.
   */
  constructor(
    readonly gate: Gate,
    private readonly rankOf: (admission: Admission) => number = ({ ticket }) => ticket,
  ) {}

  /** How many wait here. */
  get length(): number {
    return this.parked;
  }

  /** The first of those that wait here. */
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

  /** Whether there is room, and nobody who goes first waits for it. */
  admits(admission: Admission): boolean {
    const head = this.head;
    if (head !== undefined && head.rank < this.rankOf(admission)) return false;
    return this.gate.hasRoom(this, admission.entrant);
  }

  park(admission: Admission): void {
    admission.line = this;
    admission.rank = this.rankOf(admission);
    this.parked += 1;
    this.queue.push(admission);
  }

  /** It waits here no more. */
  unpark(admission: Admission): void {
    admission.line = null;
    this.parked -= 1;
  }

  /** Takes the head out, if it may be tried now. */
  next(): Admission | undefined {
    const head = this.head;
    if (head === undefined || !this.gate.hasRoom(this, head.entrant)) return undefined;
    if (this.delegate !== null && this.rankOf(this.delegate) < head.rank) return undefined;
    this.queue.pop();
    this.unpark(head);
    return head;
  }
}
