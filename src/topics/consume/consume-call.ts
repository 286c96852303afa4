/** One request for records, from its turn at the session to the last byte of its answer. */
import type { ServerResponse } from 'node:http';
import type { TopicPosition } from '../records/topic-partition.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import type { ConsumerSessions } from '../sessions/consumer-sessions.js';
import type { StartPositions } from '../sessions/start-positions.js';

/**
 * It leaves its turn when the response is closed, however that came: written whole, what was handed
 * out may be acknowledged, and else it is handed out again.
 */
export class ConsumeCall {
  private hasTurn = false;
  private hasAnswerId = false;
  private isWritten = false;
  private isGone = false;
  private whenGone: () => void = () => undefined;

  /**
   * `response` is open; what becomes of it decides what becomes of the records in it. `received` is
   * the id of the answer that the client had last; null = it names none.
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
    // Node says "finished" of what it throws away with a socket, too: then the socket is destroyed.
    // A refusal that comes once records were handed out, for want of room, has none of them.
    response.once('finish', () => {
      this.isWritten = socket?.destroyed === false && response.statusCode === 200;
    });
    response.once('close', () => this.close());
  }

  /**
   * Waits for its turn, and commits what it acknowledges: `stored` settles when that is durable.
   * False where an earlier call has not ended by `until`, by the monotonic clock.
   */
  async enter(until: number): Promise<boolean> {
    if (!(await this.session.enter(until, this.received))) return false;
    this.sessions.acknowledged(this.session);
    if (this.isGone) this.session.leave();
    else this.hasTurn = true;
    return true;
  }

  /** The id of its answer, once for a call: the next one names it if the client has it. */
  answerId(): string {
    this.hasAnswerId = true;
    return this.session.nextAnswerId();
  }

  /** The reader has all before these positions: reading goes on there. */
  async resume(received: readonly TopicPosition[]): Promise<void> {
    await this.starts.resolve(this.session);
    this.sessions.resume(this.session, received);
  }

  /**
   * Settles when what the call acknowledged, and where the session begins, is durable: before that
   * no record is shown.
   */
  async stored(): Promise<void> {
    await this.starts.begun(this.session);
    await this.session.committed;
  }

  /** What was handed out has been written in full, and more may follow. */
  written(): void {
    this.sessions.written(this.session);
  }

  /** `gone` is called when the client has closed the connection; at once if it has already. */
  watch(gone: () => void): void {
    if (this.isGone) gone();
    else this.whenGone = gone;
  }

  /** A client that names what it has does not have this because it was written. */
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
