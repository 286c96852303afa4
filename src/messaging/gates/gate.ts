/**
 * A limit on what may run at once, the line of attempts that wait for it, and the passage of one
 * attempt. Queues and flow control add gates of their own.
 */
import TinyQueue from 'tinyqueue';
import { firstOf } from './first-of.js';
import type { Obstacle } from './obstacle.js';

/** An attempt in front of the gates. */
export interface Entrant {
  readonly messageId: string;
  /** The queue that the attempt goes through; null = none. */
  readonly queueName: string | null;
  /** The flow-control key under which the attempt counts; null = none. */
  readonly flowControlKey: string | null;
  /** Scheme, host and port of the destination. */
  readonly origin: string;
  /** The domain of its host, such as `example.com`; null = an address, or a name without a dot. */
  readonly domain: string | null;
  readonly bodyBytes: number;
  /** Called once, when the attempt has passed all gates. It may call the gates again. */
  admitted(): void;
}

/**
 * Bodies up to this size are not counted, so that they never wait for large ones: 1,000 of them
 * take 16 MiB.
 */
const smallBodyBytesMax = 16 * 1024;

/** How much an attempt takes of a budget for large bodies. */
export function largeBodyBytes({ bodyBytes }: Entrant): number {
  return bodyBytes > smallBodyBytesMax ? bodyBytes : 0;
}

/** An attempt at the gates: either it waits in a line, or it has passed. */
export class Admission {
  /** The line in which the attempt waits; null = it does not wait. */
  line: Line | null = null;
  /** Position of the attempt in the order of that line, lowest first. */
  rank = 0;
  /** The line that waits for this attempt to pass (see `Line.delegate`). */
  standsFor: Line | null = null;
  isInside = false;

  constructor(
    readonly entrant: Entrant,
    /** Order of arrival. */
    readonly ticket: number,
  ) {}
}

/**
 * The gates of a server in the order in which they are tested: from the most specific one to those
 * that all attempts share.
 */
export const gateNames = [
  'queue',
  'flowControl',
  'pausedOrigin',
  'origin',
  'domain',
  'bodyBytes',
  'attempts',
  'ownership',
] as const;

/** The name of a gate. */
export type GateName = (typeof gateNames)[number];

/** A limit on what may run at once. */
export interface Gate {
  /** Determines the position of the gate among the others. */
  readonly name: GateName;
  /** Gates of which all entrants in one line would wait in one line here, too. */
  readonly sharedBy: readonly GateName[];
  /**
   * The field of an entrant that names the limit. If the field is null, the gate does not concern
   * the entrant. Absent: the gate concerns all entrants.
   */
  readonly concerns?: 'queueName' | 'flowControlKey';
  /**
   * What the gate depends on: while all of these are empty, the gate concerns no entrant and is not
   * asked. Absent: it is always asked.
   */
  readonly actsBy?: readonly { readonly size: number }[];
  /**
   * The line of all entrants that share this limit with `entrant`, the same line until it has left;
   * null: the gate does not concern it.
   */
  lineOf(entrant: Entrant): Line | null;
  /** Whether the limit has room for `entrant`. */
  isOpen(line: Line, entrant: Entrant): boolean;
  /** `entrant` counts towards the limit from now on. */
  enter(line: Line, entrant: Entrant): void;
  /** `entrant` no longer counts towards the limit. */
  leave(line: Line, entrant: Entrant): void;
  /** The limit that holds `entrant` back, for the answer to `why`. Changes nothing. */
  obstacleOf(line: Line, entrant: Entrant): Obstacle;
  /**
   * A line that may continue because an entrant of another line has left; each is returned once.
   * The line that the entrant itself stood in is reopened without this.
   */
  takeOpened?(): Line | undefined;
}

/** How many entrants that gave up may remain in a line before they are swept out of it. */
const leftBehindMin = 1024;

const byRank = (a: Admission, b: Admission) => a.rank - b.rank;

/** How many waiting attempts are examined at most to count those ahead of one. */
const aheadLooksMax = 100_000;

/** The attempts that wait for a gate, in order, and how much of its limit is taken. */
export class Line {
  /** How much of the limit the admitted entrants take, in the unit of the gate. */
  used = 0;
  /**
   * The attempt of this line that found a later, shared gate closed and waits there on behalf of
   * the line. Entrants behind it would find the same, so none is tried before it has passed.
   */
  delegate: Admission | null = null;
  private queue = new TinyQueue<Admission>([], byRank);
  private parked = 0;

  /**
   * `rankOf` decides which attempt goes first (lowest rank): by default the order of arrival. A
   * waiting attempt keeps the rank that it arrived with.
   */
  constructor(
    readonly gate: Gate,
    private readonly rankOf: (admission: Admission) => number = ({ ticket }) => ticket,
  ) {}

  /** How many attempts wait in this line. */
  get length(): number {
    return this.parked;
  }

  /** The first attempt that waits in this line. */
  get head(): Admission | undefined {
    let head = this.queue.peek();
    while (head !== undefined && head.line !== this) {
      this.queue.pop(); // it gave up waiting
      head = this.queue.peek();
    }
    return head;
  }

  /** The first attempts that wait in this line, in order. */
  first(count: number): readonly Admission[] {
    const waiting = this.queue.data.filter((admission) => admission.line === this);
    return firstOf(waiting, count, byRank);
  }

  /** How many attempts in this line go before `admission`; null = too many to be counted. */
  ahead(admission: Admission): number | null {
    const { data } = this.queue;
    if (data.length > aheadLooksMax) return null;
    let ahead = 0;
    for (const other of data) if (other.line === this && other.rank < admission.rank) ahead += 1;
    return ahead;
  }

  /** No attempt is admitted or waits in this line, and none waits elsewhere on its behalf. */
  get isIdle(): boolean {
    return this.used === 0 && this.delegate === null && this.head === undefined;
  }

  /** Whether the gate is open for this attempt, and no attempt with an earlier rank waits here. */
  admits(admission: Admission): boolean {
    const head = this.head;
    if (head !== undefined && head.rank < this.rankOf(admission)) return false;
    return this.gate.isOpen(this, admission.entrant);
  }

  /** Adds an attempt that has to wait. */
  park(admission: Admission): void {
    admission.line = this;
    admission.rank = this.rankOf(admission);
    this.parked += 1;
    this.queue.push(admission);
  }

  /**
   * Removes an attempt that no longer waits. One that gave up stays in the heap until it is swept
   * or reaches the head, because a heap can remove only its head.
   */
  unpark(admission: Admission): void {
    admission.line = null;
    this.parked -= 1;
    const leftBehind = this.queue.length - this.parked;
    if (leftBehind <= Math.max(leftBehindMin, this.parked)) return;
    const waiting = this.queue.data.filter(({ line }) => line === this);
    this.queue = new TinyQueue(waiting, byRank);
  }

  /** Removes and returns the head, if it may be tried now. */
  next(): Admission | undefined {
    const head = this.head;
    if (head === undefined || !this.gate.isOpen(this, head.entrant)) return undefined;
    if (this.delegate !== null && this.rankOf(this.delegate) < head.rank) return undefined;
    this.queue.pop();
    this.unpark(head);
    return head;
  }
}
