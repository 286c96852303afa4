/**
 * Holds messages that are due but cannot be read, because their place in the journal is damaged.
 * The server continues with all others (ADR 119).
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { DamagedData } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';

/** How often held messages are tried again: a disk may have been away for a while. */
const lookEveryMs = 10_000;

/** How many are tried each time; the others follow later. */
const examinedMax = 100;

/** A held message. */
export interface HeldMessage {
  /** Reads the message again; rejects if it cannot be read. */
  read(): Promise<void>;
  /** Called when the message can be read again and is no longer held. */
  proceed(): void;
}

/** One instance per server. A message that stays damaged is held until it ends. */
@Injectable()
export class UnreadableMessages {
  /** By message id; those tried most recently come last. */
  private readonly held = new Map<string, HeldMessage>();
  private isLooking = false;

  constructor(
    private readonly life: ProcessLife,
    registry: Registry,
    @Inject(provided.membership) private readonly membership: object | null,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.clock) private readonly clock: Pick<Clock, 'after'>,
  ) {
    const help = 'Messages that are due but cannot be read, because their data is damaged on disk.';
    gauge(registry, 'stepwell_unreadable_messages', help, () => this.held.size);
  }

  has(messageId: string): boolean {
    return this.held.has(messageId);
  }

  /**
   * Holds a message that could not be read because of `error`. Throws `error` if it is not damage,
   * and on a node of a cluster: that node ends, and the next owner has the message intact.
   */
  hold(messageId: string, error: unknown, held: HeldMessage): void {
    if (!(error instanceof DamagedData) || this.membership !== null) throw error;
    this.held.set(messageId, held);
    this.log.error({ messageId }, `a message is not delivered: ${error.message}`);
    this.warn();
    this.lookLater();
  }

  /** Releases a message that has ended, or from which nothing is wanted any more. */
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
    for (const [messageId, held] of [...this.held].slice(0, examinedMax)) {
      const isRead = await held.read().then(
        () => true,
        () => false,
      );
      // The message may have ended meanwhile.
      if (this.held.get(messageId) !== held) continue;
      this.held.delete(messageId);
      if (!isRead) {
        this.held.set(messageId, held);
        continue;
      }
      this.log.info(
        { messageId },
        'a message that was unreadable can be read again and is delivered',
      );
      this.warn();
      held.proceed();
    }
  }

  private warn(): void {
    const { size } = this.held;
    const what = size === 1 ? '1 message is' : `${size} messages are`;
    const text = `${what} damaged on the disk and not delivered: run stepwell journal verify`;
    this.life.warn('unreadable', size === 0 ? null : text);
  }
}
