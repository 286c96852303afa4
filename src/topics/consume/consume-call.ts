/**
 * One request for records, from waiting for its turn at the session to the last byte of its answer.
 */
import type { ServerResponse } from 'node:http';
import type { TopicPosition } from '../records/topic-partition.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import type { ConsumerSessions } from '../sessions/consumer-sessions.js';
import type { StartPositions } from '../sessions/start-positions.js';

/**
 * The turn ends when the response is closed, for any reason. If the response was written
 * completely, the records may be acknowledged later; otherwise they are handed out again.
 */
export class ConsumeCall {
  private hasTurn = false;
  private hasAnswerId = false;
  private isWritten = false;
  private isGone = false;
  private whenGone: () => void = () => undefined;

  /**
   * `response` is open; its outcome decides whether its records count as delivered. `received` is
   * the id of the last answer that the client received; null = the client names none.
   */
  constructor(
    private readonly sessions: ConsumerSessions,
    private readonly starts: StartPositions,
    readonly session: ConsumerSession,
    response: ServerResponse,
    private readonly received: string | null,
  ) {
    session.callBegan();
    const { socket } = response;
    // Node also emits "finish" for data that it discards with a socket; then the socket is
    // destroyed. A refusal for lack of space, after records were handed out, contains none of them.
    response.once('finish', () => {
      this.isWritten = socket?.destroyed === false && response.statusCode === 200;
    });
    response.once('close', () => this.close());
  }

  /**
   * Waits for its turn, and commits what the call acknowledges; `stored` resolves when that is
   * durable. Returns false if an earlier call has not ended by `until`, on the monotonic clock.
   */
  async enter(until: number): Promise<boolean> {
    if (!(await this.session.enter(until, this.received))) return false;
    this.sessions.acknowledged(this.session);
    if (this.isGone) this.session.leave();
    else this.hasTurn = true;
    return true;
  }

  /**
   * Creates the id of this call's answer, at most once per call; the client names it in its next
   * call if it received the answer.
   */
  answerId(): string {
    this.hasAnswerId = true;
    return this.session.nextAnswerId();
  }

  /** The reader has everything before these positions, so reading continues there. */
  async resume(received: readonly TopicPosition[]): Promise<void> {
    await this.starts.resolve(this.session);
    this.sessions.resume(this.session, received);
  }

  /**
   * Resolves when the acknowledged offsets and the session's start positions are durable: before
   * that, no record may be shown.
   */
  async stored(): Promise<void> {
    await this.starts.begun(this.session);
    await this.session.committed;
  }

  /** Notes that everything handed out so far was written completely; more may follow. */
  written(): void {
    this.sessions.written(this.session);
  }

  /** Calls `gone` when the client closes the connection, at once if it already has. */
  watch(gone: () => void): void {
    if (this.isGone) gone();
    else this.whenGone = gone;
  }

  /**
   * Whether the client confirms answers by their ids: then a written answer does not count as
   * received.
   */
  private get isNamedLater(): boolean {
    return this.hasAnswerId && this.received !== null;
  }

  private close(): void {
    this.isGone = true;
    this.whenGone();
    if (this.hasTurn) {
      if (!this.isWritten) this.session.positions.rewind();
      else if (!this.isNamedLater) this.written();
      this.session.leave();
    }
    this.session.callEnded();
  }
}
