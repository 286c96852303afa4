/** A start: memory is put back from the latest snapshot, and the journal behind it is folded. */
import type { FoundSnapshot, PassedOver, Snapshots } from '../../../storage/snapshot/snapshots.js';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import type { Journal } from '../journal.js';
import { ImageReader } from './memory-image.js';

/** How far a start has come. */
export interface StartProgress {
  /** What it goes on from; -1 = there is no snapshot. */
  readonly snapshotOffset: number;
  /** What lies below it in the journal is in memory. */
  readonly foldedUntil: number;
  /** Where it will end. */
  readonly until: number;
}

/** Callbacks of a start. */
export interface StartWatch {
  /** Called again and again. */
  progress(progress: StartProgress): void;
  /** A snapshot is there and cannot be used. */
  passedOver(snapshot: PassedOver): void;
}

/** What memory was made of. */
export interface StartReport {
  /** null = there was none. */
  readonly snapshot: FoundSnapshot | null;
  /** Events folded behind it. */
  readonly events: number;
}

/** Fills an engine that has folded nothing. `label` is `imageLabel` of this engine. */
export async function recoverMemory(
  engine: Engine,
  codec: EventCodec,
  journal: Journal,
  snapshots: Snapshots,
  label: string,
  watch: StartWatch,
): Promise<StartReport> {
  const until = journal.highWatermark;
  const snapshot = await snapshots.latest(label, until, watch.passedOver);
  const snapshotOffset = snapshot?.offset ?? -1;
  if (snapshot !== null) {
    const reader = new ImageReader(engine, codec);
    for await (const part of snapshot.parts()) {
      reader.take(part);
      watch.progress({ snapshotOffset, foldedUntil: snapshotOffset, until });
    }
    reader.end();
  }
  let events = 0;
  const from = Math.max(snapshotOffset, journal.startOffset);
  for await (const envelopes of journal.replay(from)) {
    engine.replay(envelopes);
    events += envelopes.length;
    const foldedUntil = (envelopes.at(-1)?.offset ?? from) + 1;
    watch.progress({ snapshotOffset, foldedUntil, until });
  }
  engine.requireWhole();
  return { snapshot, events };
}
