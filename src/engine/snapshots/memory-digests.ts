/** The digests of memory as an entity: none of them stays in memory. */
import type { Engine } from '../engine.js';
import { Entity } from '../entity.js';
import type { StreamPart } from '../resting/stream-part.js';
import {
  type MemoryDigestState,
  memoryDigestDecider,
  type RecordDigest,
} from './memory-digest.decider.js';
import type { MemoryDigested } from './memory-digest.events.js';
import type { StateDigest } from './state-digest.js';

/** Records digests; they are read from the journal, by `memoryDigestTerm`. */
export class MemoryDigests extends Entity<MemoryDigestState, RecordDigest, MemoryDigested> {
  constructor(engine: Engine) {
    super(engine, { decider: memoryDigestDecider, view: null, folds: [] });
  }

  /**
   * Durably records the digest of memory before the event at `until`; `label` identifies the
   * program (`imageLabel`). `part`: the digest is of this part alone.
   */
  async record(
    until: number,
    digest: StateDigest,
    label: string,
    at: number,
    part: StreamPart | null = null,
  ): Promise<void> {
    const { hex } = digest;
    const sections = digest.sections.flatMap(({ section, items, sum }) => [section, items, sum]);
    const command = { type: 'RecordDigest', kind: this.kind, id: String(until), at } as const;
    const ofPart = part !== null && { part: [part.number, part.of] as const };
    await this.ask({ ...command, until, label, hex, sections, ...ofPart });
  }
}
