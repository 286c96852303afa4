/** A start: memory is restored from the latest snapshot, and the journal behind it is folded. */
import type { FoundSnapshot } from '../../../storage/snapshot/snapshots.js';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import type { Journal } from '../journal.js';
import { ImageReader } from './memory-image.js';

/** The progress of a start. */
export interface StartProgress {
  /** The offset of the snapshot it starts from; -1 = there is no snapshot. */
  readonly snapshotOffset: number;
  /** Everything below this offset of the journal is in memory. */
  readonly foldedUntil: number;
  /** The offset at which the folding will end. */
  readonly until: number;
}

/** An engine that has folded nothing, and the codec that reads its events. */
export interface EmptyMemory {
  readonly engine: Engine;
  readonly codec: EventCodec;
}

/**
 * Fills an engine from a snapshot, which was made under its `imageLabel`, and folds the journal
 * behind it; without a snapshot, all of the journal. Returns how many events were folded; calls
 * `progress` repeatedly.
 */
export async function recoverMemory(
  { engine, codec }: EmptyMemory,
  journal: Journal,
  snapshot: FoundSnapshot | null,
  progress: (progress: StartProgress) => void = () => undefined,
): Promise<number> {
  const until = journal.highWatermark;
  const snapshotOffset = snapshot?.offset ?? -1;
  if (snapshot !== null) {
    const reader = new ImageReader(engine, codec);
    for await (const part of snapshot.parts()) {
      reader.take(part);
      progress({ snapshotOffset, foldedUntil: snapshotOffset, until });
    }
    reader.end();
  }
  let events = 0;
  const from = Math.max(snapshotOffset, journal.startOffset);
  for await (const envelopes of journal.replay(from)) {
    engine.replay(envelopes);
    events += envelopes.length;
    const foldedUntil = (envelopes.at(-1)?.offset ?? from) + 1;
    progress({ snapshotOffset, foldedUntil, until });
  }
  engine.requireComplete();
  return events;
}
