/**
 * Answers that have begun and go on, as streams do, are broken off once their credential is good no
 * longer, whatever it is: a token, a session, a credential of topics (ADR 97).
 */
import { Injectable } from '@nestjs/common';
import { systemClock } from '../../engine/clock.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { knownCallerOf } from '../../http/identity/callers.js';
import type { RequestHead } from '../../http/request-head.js';
import { InboundConnections } from './connections.js';

/** Nothing tells of credentials that expire by what they say of themselves: they are looked at. */
const lookMs = 5000;
/** Streams that see it by themselves, and the page that signs out, end in order before. */
const soonMs = 1000;

/**
 * One for the server. Its clock is the machine's: a developer who moves the server's time on does
 * not end streams by it.
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
    const stop = () => this.cancel();
    life.addStoppable({ name: 'credential watch', phase: 'rest', deadlineMs: 1000, stop });
  }

  /** Breaks off now what may not go on. */
  look(): void {
    this.connections.endStreams((request) => !this.mayGoOn(request));
  }

  /** Whether the credential of a request that was let in would be found again. */
  private mayGoOn(request: RequestHead): boolean {
    const name = knownCallerOf(request)?.name ?? null;
    if (name === null) return true;
    const found = [this.bearer.admit(request), this.basic.admit(request)];
    return found.some(({ principal }) => principal === name);
  }

  /** A credential was taken away: its streams end within a second. */
  lookSoon(): void {
    if (this.isSoon) return;
    this.isSoon = true;
    this.cancel();
    this.cancel = this.lookIn(soonMs);
  }

  private lookIn(ms: number): () => void {
    // Clients count the same time, also where a developer's server moves its own.
    return systemClock.after(ms, () => {
      this.isSoon = false;
      this.look();
      this.cancel = this.lookIn(lookMs);
    });
  }
}
