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
    // A request that came behind it has the latest answer.
    const { latest } = this;
    if (latest?.closed === true && latest.req.complete) this.latest = null;
  };
}
