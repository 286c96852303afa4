/**
 * The fastest path for ordinary requests of express routes: they are read from their connection,
 * served and answered without Node's HTTP server, which costs more than most of them do (ADR 91).
 */
import { systemClock } from '../../../engine/clock.js';
import type { GiveToNode } from '../connections.js';
import { parserOptions, serverTimeouts } from '../inbound-limits.js';
import type { InboundConnection } from '../open-connection.js';
import { type CheckLimits, SocketConnection, type SocketContext } from './socket-connection.js';

/** How often connections are checked, in ms; as often as Node checks its own. */
const checkMs = parserOptions.connectionsCheckingInterval;
const limits: CheckLimits = {
  first: 1,
  body: serverTimeouts.requestTimeout / checkMs,
  idle: serverTimeouts.keepAliveTimeout / checkMs,
};

/** One instance per server. Checks its connections on a timer while there are any. */
export class SocketLane {
  private readonly open = new Set<SocketConnection>();
  private readonly left = (connection: SocketConnection) => this.open.delete(connection);
  private isChecking = false;

  constructor(private readonly context: SocketContext) {}

  /** Reads a new connection until `giveToNode` passes it to Node's server. */
  take(connection: InboundConnection, giveToNode: GiveToNode): void {
    this.open.add(new SocketConnection(connection, this.context, giveToNode, this.left));
    if (!this.isChecking) this.checkLater();
  }

  private checkLater(): void {
    this.isChecking = true;
    // Clients measure real time, even if a development server moves its own clock.
    systemClock.after(checkMs, () => {
      for (const each of this.open) each.check(limits);
      this.isChecking = this.open.size > 0;
      if (this.isChecking) this.checkLater();
    });
  }
}
