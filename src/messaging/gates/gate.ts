/**
 * A limit on what may run at once, the line of those that wait for it, and one attempt's way
 * through. Queues and flow control add gates of their own.
 */
import TinyQueue from 'tinyqueue';
import { firstOf } from './first-of.js';
import type { Obstacle } from './obstacle.js';

/** An attempt in front of the gates. */
export interface Entrant {
  readonly messageId: string;
  /** The queue that it goes through; null = none. */
  readonly queueName: string | null;
  /** The flow-control key that it counts for; null = none. */
  readonly flowControlKey: string | null;
  /** Scheme, host and port of the destination. */
  readonly origin: string;
  readonly bodyBytes: number;
  /** Called once, when all gates are passed; it may call the gates again. */
  admitted(): void;
}

/** A body up to this is not counted, so that it never waits for great ones: 1,000 are 16 MiB. */
const smallBodyBytesMax = 16 * 1024;

/** What an attempt takes of a budget for great bodies. */
export function greatBodyBytes({ bodyBytes }: Entrant): number {
  return bodyBytes > smallBodyBytesMax ? bodyBytes : 0;
}

/** An attempt at the gates: the line in which it waits, or that it has passed. */
export class Admission {
  /** Where it waits; null = it does not. */
  line: Line | null = null;
  /** Its rank in the line where it waits. */
  rank = 0;
  /** The line that waits for this one to pass (see `Line.delegate`). */
  standsFor: Line | null = null;
  isInside = false;

  constructor(
    readonly entrant: Entrant,
    /** Order of arrival. */
    readonly ticket: number,
  ) {}
}

/**
 * The gates of a server in the order in which an attempt is tried: from the most particular one to
 * those that all attempts share.
 */
export const gateNames = [
  'queue',
  'flowControl',
  'pausedOrigin',
  'origin',
  'bodyBytes',
  'attempts',
  'ownership',
] as const;

/** The name of a gate. */
export type GateName = (typeof gateNames)[number];

/** A limit on what may run at once. */
export interface Gate {
  /** Its place among the others. */
  readonly name: GateName;
  /** All entrants that it concerns stand in the same line. */
  readonly isShared: boolean;
  /** What names its limit: an entrant that names none does not concern it. Absent: all do. */
  readonly concerns?: 'queueName' | 'flowControlKey';
  /**
   * What it acts by: while there is none of any of these, it concerns no entrant, and is not asked.
   * Absent: it is.
   */
  readonly actsBy?: readonly { readonly size: number }[];
  /**
   * The line of those that share this limit with `entrant`, the same one until it has left; null:
   * this gate does not concern it.
   */
  lineOf(entrant: Entrant): Line | null;
  /** Whether the limit leaves room for `entrant`. */
  isOpen(line: Line, entrant: Entrant): boolean;
  /** It counts for the limit from now on. */
  enter(line: Line, entrant: Entrant): void;
  /** It counts no more. */
  leave(line: Line, entrant: Entrant): void;
  /** The limit that holds `entrant` back, for the answer to `why`. Changes nothing. */
  obstacleOf(line: Line, entrant: Entrant): Obstacle;
  /**
   * A line that may go on because an entrant of another line has left; each is given once. The line
   * that the entrant stood in is opened without this.
   */
  takeOpened?(): Line | undefined;
}

/** So many that have given up may stand in a line before they are swept out of it. */
const leftBehindMin = 1024;

const byRank = (a: Admission, b: Admission) => a.rank - b.rank;

/** So many that wait are looked at to find how many of them go before one. */
const aheadLooksMax = 100_000;

/** The attempts that wait for a gate, in their order, and how much of its limit is taken. */
export class Line {
  /** What those that are in take of the limit, in the gate's own unit. */
  used = 0;
  /**
   * The one of this line that found a shared gate behind this one closed and waits there for all:
   * an entrant that came after it would find the same, so none is tried before it has passed.
   */
  delegate: Admission | null = null;
  private queue = new TinyQueue<Admission>([], byRank);
  private parked = 0;

  /**
   * `rankOf` says which attempt goes first, lowest first: by default the order of arrival. A
   * waiting attempt keeps the rank that it came with.
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

  /** The first of those that wait here, in their order. */
  first(count: number): readonly Admission[] {
    const waiting = this.queue.data.filter((admission) => admission.line === this);
    return firstOf(waiting, count, byRank);
  }

  /** How many of those that wait here go before `admission`; null = too many to be counted. */
  ahead(admission: Admission): number | null {
    const { data } = this.queue;
    if (data.length > aheadLooksMax) return null;
    let ahead = 0;
    for (const other of data) if (other.line === this && other.rank < admission.rank) ahead += 1;
    return ahead;
  }

  /** None is in, none waits here, and none waits elsewhere for those here. */
  get isIdle(): boolean {
    return this.used === 0 && this.delegate === null && this.head === undefined;
  }

  /** Whether the gate is open for it, and no attempt that goes first waits here. */
  admits(admission: Admission): boolean {
    const head = this.head;
    if (head !== undefined && head.rank < this.rankOf(admission)) return false;
    return this.gate.isOpen(this, admission.entrant);
  }

  /** It waits here. */
  park(admission: Admission): void {
    admission.line = this;
    admission.rank = this.rankOf(admission);
    this.parked += 1;
    this.queue.push(admission);
  }

  /** It waits here no more. One that gives up is left behind: a heap finds its head alone. */
  unpark(admission: Admission): void {
    admission.line = null;
    this.parked -= 1;
    const leftBehind = this.queue.length - this.parked;
    if (leftBehind <= Math.max(leftBehindMin, this.parked)) return;
    const waiting = this.queue.data.filter(({ line }) => line === this);
    this.queue = new TinyQueue(waiting, byRank);
  }

  /** Takes the head out, if it may be tried now. */
  next(): Admission | undefined {
    const head = this.head;
    if (head === undefined || !this.gate.isOpen(this, head.entrant)) return undefined;
    if (this.delegate !== null && this.rankOf(this.delegate) < head.rank) return undefined;
    this.queue.pop();
    this.unpark(head);
    return head;
  }
}
