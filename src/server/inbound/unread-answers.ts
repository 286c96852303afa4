/**
 * Clients that ask and take nothing of their answers. A long answer has a limit of its own (ADR
 * 21); this one is for short ones: the system takes many of them, but what it does not take would
 * wait for ever, and its connection would never give its place to another client.
 */
import { systemClock } from '../../engine/clock.js';
import type { InboundMetrics } from '../../http/inbound.metrics.js';
import type { AnswerState } from '../../http/request-head.js';
import type { InboundConnection } from './open-connection.js';

/** An answer that one check finds on its way, and the next one too, is not being taken. */
const checkMs = 30_000;

/** Closes such a connection after one to two checks, 30 to 60 s. */
export class UnreadAnswers {
  private isChecking = false;
  /** What the last check found on its way. */
  private unread: ReadonlySet<AnswerState> = new Set();

  constructor(
    private readonly open: () => Iterable<Pick<InboundConnection, 'current' | 'socket'>>,
    private readonly metrics: InboundMetrics,
  ) {}

  /** Checks all connections from time to time, for as long as there are any. */
  watch(): void {
    if (this.isChecking) return;
    this.isChecking = true;
    // Clients count the same time, also where a developer's server moves its own.
    systemClock.after(checkMs, () => {
      this.isChecking = false;
      this.check();
    });
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
