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
 * So many requests of one connection may wait for their answers: Node's server reads and begins
 * however many a client sends, and each is some KiB that no other limit counts.
 */
const unansweredMax = 32;

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
  /** What has come behind the requests that wait; null = it is read. */
  private held: Buffer[] | null = null;
  /** What reads the connection, while it does not. */
  private readers: ((piece: Buffer) => void)[] = [];

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
    // Later: what has come with this one is being read.
    if (this.isFull && this.held === null) process.nextTick(this.holdBack);
    answer.on('close', this.answered);
    if (this.isEnding) this.endOnceIdle();
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
    const { latest, earlier, held } = this;
    // They are sent in their order.
    while (earlier[0]?.closed === true) earlier.shift();
    if (held !== null && !this.isFull) this.goOn(held);
    if (latest?.closed === true && latest.req.complete) this.latest = null;
  };

  private get isFull(): boolean {
    return this.earlier.length >= unansweredMax - 1;
  }

  private readonly holdBack = (): void => {
    const { socket } = this;
    if (this.held !== null || !this.isFull) return;
    this.held = [];
    // Node types them as functions of anything.
    this.readers = socket.listeners('data') as ((piece: Buffer) => void)[];
    socket.removeAllListeners('data');
    socket.on('data', this.hold);
    socket.pause();
  };

  private readonly hold = (piece: Buffer): void => {
    this.held?.push(piece);
    this.socket.pause();
  };

  private goOn(held: readonly Buffer[]): void {
    const { socket, readers } = this;
    this.held = null;
    this.readers = [];
    // It is being ended, and what comes is dropped.
    if (!socket.listeners('data').includes(this.hold)) return;
    socket.off('data', this.hold);
    for (const reader of readers) socket.on('data', reader);
    if (held.length > 0 && !socket.destroyed) socket.unshift(Buffer.concat(held));
    process.nextTick(() => socket.resume());
  }
}
