/** The metric of the journal's chain: its head, to be kept elsewhere (ADR 40). */
import { Gauge, type Registry } from 'prom-client';
import type { ChainHead } from '../../../storage/chain/log-chain.js';

/** A new head replaces the series of the previous one, which remains in what was scraped before. */
export class JournalHeadMetrics {
  readonly #head: Gauge<'digest'>;

  constructor(registry: Registry) {
    this.#head = new Gauge({
      name: 'stepwell_journal_head_offset',
      help: 'Offset of the head of the journal; the label is the digest of the head.',
      labelNames: ['digest'],
      registers: [registry],
    });
  }

  /** Called when the journal has a new head. */
  sealed({ offset, digest }: ChainHead): void {
    this.#head.reset();
    this.#head.set({ digest }, offset);
  }
}
