/** Restores the parts of a memory (`memory-cut.ts`) in an engine that has folded nothing yet. */
import { createHash } from 'node:crypto';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import type { RememberedMap } from '../registration.js';
import type { RestingStreams } from '../resting/resting-streams.js';
import { valueIn } from '../resting/stored-form.js';
import { type Placed, restoreOrder } from '../turn-changes.js';
import { memoriesOf } from './memories.js';
import {
  awakeIn,
  awakePrefix,
  type ImagePart,
  never,
  restingPrefix,
  takeEntries,
} from './memory-cut.js';

/** Incremented when parts are encoded differently than before. */
const imageVersion = 4;

/**
 * Identifies what two engines must have in common for one to read the image of the other: the build
 * of the program, the machine, every kind and index, and their settings.
 */
export function imageLabel(engine: Engine, build: string): string {
  const indexes = memoriesOf(engine).map(({ name, maps, settings = [] }) => {
    return [name, Object.keys(maps).sort(), settings];
  });
  const durable = engine.indexes.memories.map(({ name }) => name);
  const parts = [engine.kinds.toSorted(), indexes.sort(byName), durable.toSorted()];
  const { arch, version } = process;
  const whole = JSON.stringify([imageVersion, build, arch, version, parts]);
  return createHash('sha256').update(whole).digest('hex');
}

function byName([one]: readonly unknown[], [other]: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

/** Restores the parts of an image in an engine; pass all of them in order, then call `end`. */
export class ImageReader {
  private readonly places = new Map<string, (data: Buffer) => void>();
  private readonly inOrder: RememberedMap<Placed>[] = [];

  constructor(engine: Engine, codec: EventCodec) {
    this.places.set('shapes', (data) => codec.learnShapes(data.toString()));
    for (const kind of engine.kinds) {
      const { resting } = engine.actors(kind);
      this.places.set(`${restingPrefix}${kind}`, (data) => resting.restore(data));
      this.places.set(`${awakePrefix}${kind}`, (data) => addAll(resting, data));
    }
    for (const { name, maps, inOrder = [] } of memoriesOf(engine)) {
      for (const [map, entries] of Object.entries(maps)) {
        this.places.set(`index ${name} ${map}`, (data) => setAll(entries, data));
      }
      this.inOrder.push(...inOrder);
    }
    for (const { name, restore } of engine.indexes.memories) {
      this.places.set(`durable ${name}`, (data) => restore(valueIn(data)));
    }
  }

  /** Throws if this engine has no part of that name: the label was not compared. */
  take({ name, data }: ImagePart): void {
    const place = this.places.get(name);
    if (place === undefined) throw new Error(`nothing here remembers ${name}`);
    place(data);
  }

  /** Entries that changed while parts were made come last: restores their order. */
  end(): void {
    for (const map of this.inOrder) restoreOrder(map);
  }
}

function addAll(resting: RestingStreams, data: Buffer): void {
  for (const stored of awakeIn(data)) {
    const [id, length, firstOffset, lastOffset, at, bytes] = stored;
    if (!resting.mayHold(id) || resting.has(id)) continue;
    const wantedAt = at === never ? Number.POSITIVE_INFINITY : at;
    resting.add({ id, length, firstOffset, lastOffset, wantedAt, bytes }, at !== never);
  }
}

function setAll(entries: RememberedMap, data: Buffer): void {
  takeEntries(data, (key, value) => entries.set(key, value));
}
