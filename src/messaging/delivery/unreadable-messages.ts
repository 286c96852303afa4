/**
 * Messages that are due and cannot be read, as their place in the journal is damaged: they are
 * held, and the server goes on with all others (ADR 119).
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { DamagedData } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';

/** So often it is looked whether what is held can be read: a disk may have been away. */
const lookEveryMs = 10_000;

/** So many are looked at each time; the others have their turn later. */
const looksMax = 100;

/** A message as it is held. */
export interface HeldMessage {
  /** Reads it again; rejects where it cannot be read. */
  read(): Promise<void>;
  /** It can be read again, and is held no more. */
  goOn(): void;
}

/** One for the server. What stays damaged is held until it ends. */
@Injectable()
export class UnreadableMessages {
  /** By id; the ones that were looked at last come last. */
  private readonly held = new Map<string, HeldMessage>();
  private isLooking = false;

  constructor(
    private readonly life: ProcessLife,
    registry: Registry,
    @Inject(provided.membership) private readonly membership: object | null,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.clock) private readonly clock: Pick<Clock, 'after'>,
  ) {
    const help = 'Messages that are due and held, as the disk has damaged them.';
    gauge(registry, 'stepwell_unreadable_messages', help, () => this.held.size);
  }

  has(messageId: string): boolean {
    return this.held.has(messageId);
  }

  /**
   * Holds a message that `error` kept from being read. Throws `error` where that is no damage, and
   * on a node of a cluster: it ends, and the next owner has the message intact.
   */
  hold(messageId: string, error: unknown, held: HeldMessage): void {
    if (!(error instanceof DamagedData) || this.membership !== null) throw error;
    this.held.set(messageId, held);
    this.log.error({ messageId }, `a message is not delivered: ${error.message}`);
    this.warn();
    this.lookLater();
  }

  /** The message has ended, or nothing is wanted of it any more. */
  release(messageId: string): void {
    if (this.held.delete(messageId)) this.warn();
  }

  private lookLater(): void {
    if (this.isLooking || this.held.size === 0) return;
    this.isLooking = true;
    this.clock.after(lookEveryMs, () => {
      void this.look().then(() => {
        this.isLooking = false;
        this.lookLater();
      });
    });
  }

  private async look(): Promise<void> {
    for (const [messageId, held] of [...this.held].slice(0, looksMax)) {
      const isRead = await held.read().then(
        () => true,
        () => false,
      );
      // It may have ended meanwhile.
      if (this.held.get(messageId) !== held) continue;
      this.held.delete(messageId);
      if (!isRead) {
        this.held.set(messageId, held);
        continue;
      }
      this.log.info({ messageId }, 'a message that could not be read is delivered now');
      this.warn();
      held.goOn();
    }
  }

  private warn(): void {
    const { size } = this.held;
    const what = size === 1 ? '1 message is' : `${size} messages are`;
    const text = `${what} damaged on the disk and not delivered: run stepwell journal verify`;
    this.life.warn('unreadable', size === 0 ? null : text);
  }
}
