/**
 * Messages that are due and cannot be read, as their place in the journal is damaged: they are
 * held, and the server goes on with all others (ADR 119).
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { DamagedData } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';

/** One for the server. What is damaged stays so: it is held until it ends, or the next start. */
@Injectable()
export class UnreadableMessages {
  private readonly ids = new Set<string>();

  constructor(
    private readonly life: ProcessLife,
    registry: Registry,
    @Inject(provided.membership) private readonly membership: object | null,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    const help = 'Messages that are due and held, as the disk has damaged them.';
    gauge(registry, 'stepwell_unreadable_messages', help, () => this.ids.size);
  }

  has(messageId: string): boolean {
    return this.ids.has(messageId);
  }

  /**
   * Holds a message that `error` kept from being read. Throws `error` where that is no damage, and
   * on a node of a cluster: it ends, and the next owner has the message intact.
   */
  hold(messageId: string, error: unknown): void {
    if (!(error instanceof DamagedData) || this.membership !== null) throw error;
    this.ids.add(messageId);
    this.log.error({ messageId }, `a message is not delivered: ${error.message}`);
    this.warn();
  }

  /** The message has ended, or nothing is wanted of it any more. */
  release(messageId: string): void {
    if (this.ids.delete(messageId)) this.warn();
  }

  private warn(): void {
    const { size } = this.ids;
    const what = size === 1 ? '1 message is' : `${size} messages are`;
    const text = `${what} damaged on the disk and not delivered: run stepwell journal verify`;
    this.life.warn('unreadable', size === 0 ? null : text);
  }
}
