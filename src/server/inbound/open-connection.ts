/** A connection of a client, and the owner whose places it counts towards. */
import type { Socket } from 'node:net';
import type { Clock } from '../../engine/clock.js';
import type { AnswerState } from '../../http/request-head.js';
import { endWritten } from './connection-end.js';

/** All connections from one address. */
export interface Owner {
  readonly key: string;
  held: number;
  /** Connections without a request yet, oldest first. */
  readonly silent: Set<InboundConnection>;
}

/**
 * How many requests may arrive in one read behind one in flight; a client that sends more is cut
 * off.
 */
const waitingMax = 2048;

/** How many may wait on all connections together: each takes 2 KiB of memory, whatever it asks. */
const allWaitingMax = 8192;

/** The requests that wait on all connections of a server. */
export interface WaitingRequests {
  count: number;
}

/**
 * Created by `InboundConnections` once the system has accepted the connection, also for connections
 * of nodes.
 */
export class InboundConnection {
  readonly openedAt: number;
  owner: Owner | null = null;
  /** Whether a request has arrived on the connection. */
  hasAsked = false;
  /**
   * The answer to the latest request, until it is sent and the whole request has arrived. Not kept
   * for longer: an answer holds its request, and that holds its body, which no byte limit would
   * count any more.
   */
  latest: AnswerState | null = null;
  /** When an answer was last sent completely, by the monotonic clock. */
  answeredAt: number;
  private isEnding = false;
  /** Answers before `latest` that are not sent yet, oldest first: to pipelined requests. */
  private earlier: AnswerState[] = [];
  /** Start the requests that have arrived and wait for those before them. */
  private waiting: (() => void)[] = [];
  /** Holds back the bytes after them; null if bytes are read normally. */
  private held: HeldConnection | null = null;
  private isToBeHeld = false;

  /** `asked` is called when the first request has arrived; `all` counts those that wait. */
  constructor(
    readonly socket: Socket,
    private readonly clock: Clock,
    private readonly asked: (connection: InboundConnection) => void,
    private readonly all: WaitingRequests,
  ) {
    this.openedAt = clock.monotonic();
    this.answeredAt = this.openedAt;
  }

  /** Called when a request has arrived; `answer` will be its answer. */
  requested(answer: AnswerState): void {
    if (!this.hasAsked) {
      this.hasAsked = true;
      this.asked(this);
    }
    if (this.latest?.closed === false) this.earlier.push(this.latest);
    this.latest = answer;
    answer.on('close', this.answered);
    if (this.isEnding) this.endOnceIdle();
  }

  /**
   * Like `requested`; calls `begin` at once, or when all earlier requests are answered. Node's
   * server itself would begin any number of pipelined requests: each takes some KiB, or a stream,
   * that no other limit counts, and waiting requests do not learn that their connection is closed.
   */
  begin(answer: AnswerState, begin: () => void): void {
    const isFirst = this.latest?.closed !== false;
    this.requested(answer);
    if (isFirst) {
      begin();
      return;
    }
    this.waiting.push(begin);
    this.all.count += 1;
    const isOver = this.waiting.length > waitingMax || this.all.count > allWaitingMax;
    if (isOver) this.socket.destroy();
    else this.holdLater();
  }

  /** The connection has closed: its waiting requests are never begun. */
  closed(): void {
    this.all.count -= this.waiting.length;
    this.waiting = [];
  }

  /** Closes the connection as soon as it has no request in flight. */
  endOnceIdle(): void {
    this.isEnding = true;
    const { latest, socket } = this;
    if (latest === null || latest.writableFinished) endWritten(socket);
    else latest.once('close', () => this.endOnceIdle());
  }

  /** The answer that is being sent, or will be sent next; null if there is none. */
  get current(): AnswerState | null {
    return this.earlier[0] ?? this.latest;
  }

  /** The last answer before `latest` that is not sent yet; null if there is none. */
  get before(): AnswerState | null {
    return this.earlier.at(-1) ?? null;
  }

  /** Whether the last answer is sent and no other request has arrived. */
  get isIdle(): boolean {
    return this.hasAsked && (this.latest === null || this.latest.writableFinished);
  }

  /** Called when an answer was sent completely. Created once, not for each request. */
  private readonly answered = (): void => {
    this.answeredAt = this.clock.monotonic();
    // `latest` belongs to a later request if one arrived meanwhile.
    const { latest, earlier } = this;
    // Answers are sent in order.
    while (earlier[0]?.closed === true) earlier.shift();
    if (latest?.closed === true && latest.req.complete) this.latest = null;
    this.beginNext();
  };

  private beginNext(): void {
    // A connection that ends with this answer serves no further requests.
    const isOver = this.socket.destroyed || this.socket.writableEnded;
    const begun = isOver ? this.waiting.splice(0) : this.waiting.splice(0, 1);
    this.all.count -= begun.length;
    if (!isOver) begun[0]?.();
    if (this.waiting.length > 0) return;
    this.held?.release();
    this.held = null;
  }

  /** Waits until the bytes that arrived together with a waiting request are read. */
  private holdLater(): void {
    if (this.isToBeHeld) return;
    this.isToBeHeld = true;
    process.nextTick(this.hold);
  }

  private readonly hold = (): void => {
    // Node's server resumes what it has paused by itself; hold the connection at that point.
    if (this.waiting.length > 0 && this.socket.isPaused()) {
      this.socket.once('resume', this.hold);
      return;
    }
    this.isToBeHeld = false;
    if (this.held === null && this.waiting.length > 0) this.held = new HeldConnection(this.socket);
  };
}

/**
 * A connection whose bytes are read but kept from Node's server until release. It reads no more of
 * them than the system delivers at once.
 */
class HeldConnection {
  private readonly pieces: Buffer[] = [];
  private readonly readers: ((piece: Buffer) => void)[];

  constructor(private readonly socket: Socket) {
    // Node types the listeners as functions with any arguments.
    this.readers = socket.listeners('data') as ((piece: Buffer) => void)[];
    socket.removeAllListeners('data');
    socket.on('data', this.hold);
    socket.pause();
  }

  /** Lets Node's server read again, starting with what arrived meanwhile. */
  release(): void {
    const { socket, readers, pieces } = this;
    // The connection is being closed: incoming bytes are dropped.
    if (!socket.listeners('data').includes(this.hold)) return;
    socket.off('data', this.hold);
    for (const reader of readers) socket.on('data', reader);
    if (pieces.length > 0 && !socket.destroyed) socket.unshift(Buffer.concat(pieces));
    // Resume at once: if Node's server pauses the socket and still gets bytes, it ends the process.
    socket.resume();
    // If the connection was held just before Node's server would have resumed it, nothing else
    // triggers a read.
    socket._read(0);
  }

  private readonly hold = (piece: Buffer): void => {
    this.pieces.push(piece);
    this.socket.pause();
  };
}
