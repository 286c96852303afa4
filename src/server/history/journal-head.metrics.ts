/** What operators see of the chain of the journal: its head, to be kept elsewhere (ADR 40). */
import { Gauge, type Registry } from 'prom-client';
import type { ChainHead } from '../../../storage/chain/log-chain.js';

/** The series of an earlier head ends with the next one: what was scraped before keeps it. */
export class JournalHeadMetrics {
  readonly #head: Gauge<'digest'>;

  constructor(registry: Registry) {
    this.#head = new Gauge({
      name: 'stepwell_journal_head_offset',
      help: 'The offset of the head of the journal, whose digest is the label.',
      labelNames: ['digest'],
      registers: [registry],
    });
  }

  /** The journal has a new head. */
  sealed({ offset, digest }: ChainHead): void {
    this.#head.reset();
    this.#head.set({ digest }, offset);
  }
}
