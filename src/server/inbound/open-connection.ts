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
  private unanswered = 0;
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
    this.latest = answer;
    this.unanswered += 1;
    // Later: what has come with this one is being read.
    if (this.unanswered === unansweredMax) process.nextTick(this.holdBack);
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

  /** Whether its last answer is sent, and no other request has come. */
  get isIdle(): boolean {
    return this.hasAsked && (this.latest === null || this.latest.writableFinished);
  }

  /** An answer was sent whole. Made once, not for each request. */
  private readonly answered = (): void => {
    this.answeredAt = this.clock.monotonic();
    this.unanswered -= 1;
    if (this.held !== null && this.unanswered < unansweredMax) this.goOn(this.held);
    // A request that came behind it has the latest answer.
    const { latest } = this;
    if (latest?.closed === true && latest.req.complete) this.latest = null;
  };

  private readonly holdBack = (): void => {
    const { socket } = this;
    if (this.held !== null || this.unanswered < unansweredMax) return;
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
