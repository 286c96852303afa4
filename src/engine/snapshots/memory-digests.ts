/** The digests of memory as an entity: none of them is in memory. */
import type { Engine } from '../engine.js';
import { Entity } from '../entity.js';
import type { LiveMemory } from './live-memory.js';
import {
  type MemoryDigestState,
  memoryDigestDecider,
  type RecordDigest,
} from './memory-digest.decider.js';
import type { MemoryDigested } from './memory-digest.events.js';

export class MemoryDigests extends Entity<MemoryDigestState, RecordDigest, MemoryDigested> {
  constructor(engine: Engine) {
    super(engine, { decider: memoryDigestDecider, view: null, folds: [] });
  }

  /** Remembers, durably, what memory was; `label` names the program (`imageLabel`). */
  async record({ offset, digest }: LiveMemory, label: string, at: number): Promise<void> {
    const { hex } = digest;
    const sections = digest.sections.flatMap(({ section, items, sum }) => [section, items, sum]);
    const command = { type: 'RecordDigest', kind: this.kind, id: String(offset), at } as const;
    await this.ask({ ...command, until: offset, label, hex, sections });
  }
}
