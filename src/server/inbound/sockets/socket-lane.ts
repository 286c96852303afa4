/**
 * The shortest way in: small ordinary requests of express routes are read from their connections,
 * served, and answered without Node's HTTP server, which costs more than most of them (ADR 91).
 */
import type { Socket } from 'node:net';
import { systemClock } from '../../../engine/clock.js';
import type { Onwards } from '../connections.js';
import { parserOptions, serverTimeouts } from '../inbound-limits.js';
import { SocketConnection, type SocketContext } from './socket-connection.js';

/** How often connections are looked at, ms, as Node looks at its own. */
const lookMs = parserOptions.connectionsCheckingInterval;
const idleLooks = serverTimeouts.keepAliveTimeout / lookMs;

export class SocketLane {
  private readonly open = new Set<SocketConnection>();
  private readonly left = (connection: SocketConnection) => this.open.delete(connection);
  private isLooking = false;

  constructor(private readonly context: SocketContext) {}

  /** Reads a new connection, until `onwards` gives it to Node's server. */
  take(socket: Socket, onwards: Onwards): void {
    this.open.add(new SocketConnection(socket, this.context, onwards, this.left));
    if (!this.isLooking) this.lookLater();
  }

  private lookLater(): void {
    this.isLooking = true;
    // Clients count the same time, also where a developer's server moves its own.
    systemClock.after(lookMs, () => {
      for (const each of this.open) each.look(idleLooks);
      this.isLooking = this.open.size > 0;
      if (this.isLooking) this.lookLater();
    });
  }
}
