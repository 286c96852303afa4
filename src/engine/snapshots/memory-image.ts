/**
 * All of memory as named parts of bytes, and back into an engine that has folded nothing yet.
 *
 *     shapes              the table of the event codec
 *     streams <kind>      what rests, after all of the kind was laid to rest
 *     index <name> <map>  entries of a map of an index, keys and values in turn
 *     durable <name>      what an index of durable events remembers
 */
import { createHash } from 'node:crypto';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import { bytesOf, valueIn } from '../resting/stored-form.js';
import { memoriesOf } from './memories.js';

/** A part; several may have the same name. */
export interface ImagePart {
  readonly name: string;
  readonly data: Buffer;
}

/** Rises when parts are made of other bytes than before. */
const imageVersion = 1;

/** So many entries of a map are one part. */
const entriesOfPart = 4096;

/**
 * What two engines must have in common for one to read the image of the other: the build of the
 * program, the machine, every kind and index, and the settings that they go by.
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

/** The parts of an engine that goes on no further: all of its streams are laid to rest. */
export function* imageOf(engine: Engine, codec: EventCodec): Generator<ImagePart> {
  yield { name: 'shapes', data: Buffer.from(codec.shapes) };
  for (const kind of engine.kinds) {
    for (const data of engine.actors(kind).toParts())
      yield { name: `${streamsPrefix}${kind}`, data };
  }
  for (const { name, maps } of memoriesOf(engine)) {
    for (const [map, entries] of Object.entries(maps)) {
      for (const data of entryParts(entries)) yield { name: `index ${name} ${map}`, data };
    }
  }
  for (const { name, store } of engine.indexes.memories) {
    yield { name: `durable ${name}`, data: bytesOf(store()) };
  }
}

/** Whether a part has streams: what `mergedPart` takes. */
export function hasStreams({ name }: ImagePart): boolean {
  return name.startsWith(streamsPrefix);
}

/** A part of the image that an engine goes on from, with what became there of its streams. */
export function mergedPart(engine: Engine, { name, data }: ImagePart): ImagePart {
  const actors = engine.actors(name.slice(streamsPrefix.length));
  actors.restAll();
  return { name, data: actors.resting.merge(data) };
}

const streamsPrefix = 'streams ';

function* entryParts(entries: ReadonlyMap<string | number, unknown>): Generator<Buffer> {
  let part: unknown[] = [];
  for (const [key, value] of entries) {
    part.push(key, value);
    if (part.length < entriesOfPart * 2) continue;
    yield bytesOf(part);
    part = [];
  }
  if (part.length > 0) yield bytesOf(part);
}

/** Takes the parts of an image into an engine; all of them, in their order. */
export class ImageReader {
  private readonly places = new Map<string, (data: Buffer) => void>();

  constructor(engine: Engine, codec: EventCodec) {
    this.places.set('shapes', (data) => codec.learnShapes(data.toString()));
    for (const kind of engine.kinds) {
      const actors = engine.actors(kind);
      this.places.set(`${streamsPrefix}${kind}`, (data) => actors.resting.restore(data));
    }
    for (const { name, maps } of memoriesOf(engine)) {
      for (const [map, entries] of Object.entries(maps)) {
        this.places.set(`index ${name} ${map}`, (data) => setAll(entries, data));
      }
    }
    for (const { name, restore } of engine.indexes.memories) {
      this.places.set(`durable ${name}`, (data) => restore(valueIn(data)));
    }
  }

  /** Throws where no part of this engine has the name: the label was not compared. */
  take({ name, data }: ImagePart): void {
    const place = this.places.get(name);
    if (place === undefined) throw new Error(`nothing here remembers ${name}`);
    place(data);
  }
}

/** A map of an index is only read by others; here its owner gets back what was its own. */
function setAll(entries: ReadonlyMap<string | number, unknown>, data: Buffer): void {
  const own = entries as Map<string | number, unknown>;
  const keysAndValues = valueIn(data) as unknown[];
  for (let at = 0; at < keysAndValues.length; at += 2) {
    own.set(keysAndValues[at] as string | number, keysAndValues[at + 1]);
  }
}
