/** A connection of a client, and what shares its places. */
import type { Socket } from 'node:net';
import type { Clock } from '../../engine/clock.js';
import type { AnswerState } from '../../http/request-head.js';
import { endWritten } from './connection-end.js';

/** All connections from one address. */
export interface Owner {
  readonly key: string;
  held: number;
  /** Without a request yet, the oldest first. */
  readonly silent: Set<InboundConnection>;
}

/**
 * So many requests may have come in one read behind one that is under way; a client that sends more
 * is cut.
 */
const waitingMax = 2048;

/** Made by `InboundConnections` once the system has accepted it; connections of nodes, too. */
export class InboundConnection {
  readonly openedAt: number;
  owner: Owner | null = null;
  /** Whether a request has come on it. */
  hasAsked = false;
  /**
   * The latest request's answer, until it is sent and all of the request has come: an answer keeps
   * its request, and that its body, which no limit of bytes would count any more.
   */
  latest: AnswerState | null = null;
  /** When an answer was last sent whole, by the monotonic clock. */
  answeredAt: number;
  private isEnding = false;
  /** Those before `latest` that are not sent, oldest first: of requests that did not wait. */
  private earlier: AnswerState[] = [];
  /** What begins requests that have come and wait for those before them. */
  private waiting: (() => void)[] = [];
  /** What comes behind them; null = it is read. */
  private held: HeldConnection | null = null;
  private isToBeHeld = false;

  /** `asked` is called when the first request has come. */
  constructor(
    readonly socket: Socket,
    private readonly clock: Clock,
    private readonly asked: (connection: InboundConnection) => void,
  ) {
    this.openedAt = clock.monotonic();
    this.answeredAt = this.openedAt;
  }

  /** A request has come, and `answer` is to be its answer. */
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
   * As `requested`; calls `begin` at once, or when all before it are answered. Node's server begins
   * however many requests a client sends: each is some KiB, or a stream, that no other limit
   * counts, and those in the line do not learn that their connection is closed.
   */
  begin(answer: AnswerState, begin: () => void): void {
    const isFirst = this.latest?.closed !== false;
    this.requested(answer);
    if (isFirst) begin();
    else if (this.waiting.push(begin) > waitingMax) this.socket.destroy();
    else this.holdLater();
  }

  /** Closes it as soon as it has no request in flight. */
  endOnceIdle(): void {
    this.isEnding = true;
    const { latest, socket } = this;
    if (latest === null || latest.writableFinished) endWritten(socket);
    else latest.once('close', () => this.endOnceIdle());
  }

  /** The answer that is being sent, or will be next; null = there is none. */
  get current(): AnswerState | null {
    return this.earlier[0] ?? this.latest;
  }

  /** Whether its last answer is sent, and no other request has come. */
  get isIdle(): boolean {
    return this.hasAsked && (this.latest === null || this.latest.writableFinished);
  }

  /** An answer was sent whole. Made once, not for each request. */
  private readonly answered = (): void => {
    this.answeredAt = this.clock.monotonic();
    // A request that came behind it has the latest answer.
    const { latest, earlier } = this;
    // They are sent in their order.
    while (earlier[0]?.closed === true) earlier.shift();
    if (latest?.closed === true && latest.req.complete) this.latest = null;
    this.beginNext();
  };

  private beginNext(): void {
    // A connection that ends with an answer brings nothing more.
    if (this.socket.destroyed || this.socket.writableEnded) this.waiting = [];
    this.waiting.shift()?.();
    if (this.waiting.length > 0) return;
    this.held?.release();
    this.held = null;
  }

  /** What has come with a request that waits is being read. */
  private holdLater(): void {
    if (this.isToBeHeld) return;
    this.isToBeHeld = true;
    process.nextTick(this.hold);
  }

  private readonly hold = (): void => {
    // What Node's server has paused it reads on by itself, and it is held then.
    if (this.waiting.length > 0 && this.socket.isPaused()) {
      this.socket.once('resume', this.hold);
      return;
    }
    this.isToBeHeld = false;
    if (this.held === null && this.waiting.length > 0) this.held = new HeldConnection(this.socket);
  };
}

/**
 * A connection that is being read, and whose bytes are kept from Node's server until it is
 * released: no more of them are read than the system brings at once.
 */
class HeldConnection {
  private readonly pieces: Buffer[] = [];
  private readonly readers: ((piece: Buffer) => void)[];

  constructor(private readonly socket: Socket) {
    // Node types them as functions of anything.
    this.readers = socket.listeners('data') as ((piece: Buffer) => void)[];
    socket.removeAllListeners('data');
    socket.on('data', this.hold);
    socket.pause();
  }

  /** Node's server reads it again, first what has come meanwhile. */
  release(): void {
    const { socket, readers, pieces } = this;
    // It is being ended: what comes is dropped.
    if (!socket.listeners('data').includes(this.hold)) return;
    socket.off('data', this.hold);
    for (const reader of readers) socket.on('data', reader);
    if (pieces.length > 0 && !socket.destroyed) socket.unshift(Buffer.concat(pieces));
    // At once: Node's server ends the process where it is given what it has paused since.
    socket.resume();
    // Where it was held while Node's server was about to go on with it, nothing else reads it.
    socket._read(0);
  }

  private readonly hold = (piece: Buffer): void => {
    this.pieces.push(piece);
    this.socket.pause();
  };
}
