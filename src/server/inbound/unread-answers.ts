/**
 * Detects clients that send requests but do not read the answers. A long answer has a limit of its
 * own (ADR 21); this one is for short answers. The system buffers many of them, but the rest would
 * wait for ever, and the connection would never give up its place to another client.
 */
import { systemClock } from '../../engine/clock.js';
import type { InboundMetrics } from '../../http/inbound.metrics.js';
import type { AnswerState } from '../../http/request-head.js';
import type { InboundConnection } from './open-connection.js';

/** An answer that two successive checks find unsent is not being read. */
const checkMs = 30_000;

/** Closes such a connection after one to two checks: 30 to 60 s. */
export class UnreadAnswers {
  /** Ends the wait for the next check; null: there is none. */
  private cancel: (() => void) | null = null;
  /** The answers that the last check found unsent. */
  private unread: ReadonlySet<AnswerState> = new Set();

  constructor(
    private readonly open: () => Iterable<Pick<InboundConnection, 'current' | 'socket'>>,
    private readonly metrics: InboundMetrics,
  ) {}

  /** Checks all connections at intervals, for as long as there are any. */
  watch(): void {
    // Clients measure real time, even if a development server moves its own clock.
    this.cancel ??= systemClock.after(checkMs, () => {
      this.cancel = null;
      this.check();
    });
  }

  /** Checks no more: there is no connection. Its timer would keep a stopped server in memory. */
  stop(): void {
    this.cancel?.();
    this.cancel = null;
    this.unread = new Set();
  }

  private check(): void {
    const unread = new Set<AnswerState>();
    for (const { current, socket } of this.open()) {
      this.watch();
      if (current === null || !current.writableEnded || current.writableFinished) continue;
      if (this.unread.has(current)) {
        this.metrics.stalledClientClosed();
        socket.destroy();
      } else unread.add(current);
    }
    this.unread = unread;
  }
}
