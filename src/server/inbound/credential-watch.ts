/**
 * Breaks off streaming answers once their credential is no longer valid, whatever its kind: a
 * token, a session, or a credential of topics (ADR 97).
 */
import { Injectable } from '@nestjs/common';
import { systemClock } from '../../engine/clock.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { knownCallerOf } from '../../http/identity/callers.js';
import type { RequestHead } from '../../http/request-head.js';
import { InboundConnections } from './connections.js';

/**
 * Nothing announces that a credential with an expiry date of its own has expired, so credentials
 * are checked at this interval.
 */
const lookMs = 5000;
/**
 * Gives streams that notice by themselves, and the page that signs out, the time to end in an
 * orderly way first.
 */
const soonMs = 1000;

/**
 * One instance per server. It runs on the machine's clock: a developer who moves the server's time
 * forward does not end streams by that.
 */
@Injectable()
export class CredentialWatch {
  private cancel: () => void;
  private isSoon = false;

  constructor(
    private readonly connections: InboundConnections,
    private readonly bearer: BearerTokens,
    private readonly basic: BasicCredentials,
    life: ProcessLife,
  ) {
    this.cancel = this.lookIn(lookMs);
    const stop = () => this.stop();
    life.addStoppable({ name: 'credential watch', phase: 'rest', deadlineMs: 1000, stop });
  }

  /** Checks no more. */
  stop(): void {
    this.cancel();
  }

  /** Breaks off every stream that may no longer continue. */
  look(): void {
    this.connections.endStreams((request) => !this.mayContinue(request));
  }

  /** Whether the credential of an admitted request would still be accepted. */
  private mayContinue(request: RequestHead): boolean {
    const name = knownCallerOf(request)?.name ?? null;
    if (name === null) return true;
    const found = [this.bearer.admit(request), this.basic.admit(request)];
    return found.some(({ principal }) => principal === name);
  }

  /** Called when a credential was revoked: its streams end within a second. */
  lookSoon(): void {
    if (this.isSoon) return;
    this.isSoon = true;
    this.cancel();
    this.cancel = this.lookIn(soonMs);
  }

  private lookIn(ms: number): () => void {
    // Clients measure real time, even if a development server moves its own clock.
    return systemClock.after(ms, () => {
      this.isSoon = false;
      this.look();
      this.cancel = this.lookIn(lookMs);
    });
  }
}
