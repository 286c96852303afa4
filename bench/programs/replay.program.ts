/** Measured program: one pass over a journal, through the real engine or through a bare loop. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import { replayJournal } from '../../src/engine/lifecycle/recovery.js';
import { openMessageEngine } from '../load/message-engine.js';
import type { Round } from '../measure/contest.js';
import { bareEvents, bareStructures } from '../measure/replay-journal.js';
import { openFolder } from '../measure/stored-folder.js';
import { answer, ready, settings } from './measured-program.js';

/** How the program is started. */
export interface ReplaySettings {
  readonly side: 'stepwell' | 'bare';
  /** Made by `buildJournal`. */
  readonly directory: string;
}

const readBytes = 4 * 1024 * 1024;

/** Opening the store is not counted: the clock runs from the first read to the last fold. */
async function replayThroughEngine(directory: string): Promise<Round> {
  const store = await openFolder(join(directory, 'data'), true);
  const { engine, journal } = await openMessageEngine(store);
  const start = performance.now();
  const operations = await replayJournal(engine, journal);
  const seconds = (performance.now() - start) / 1000;
  await store.close();
  return { operations, seconds, latencies: [] };
}

/** Reads 4 MiB at a time, checks every block, decodes every event, remembers nothing. */
function replayBare(directory: string): Round {
  const structures = JSON.parse(readFileSync(join(directory, bareStructures), 'utf8'));
  const packr = new Packr({ structures });
  const file = openSync(join(directory, bareEvents), 'r');
  const chunk = Buffer.allocUnsafeSlow(readBytes);
  const start = performance.now();
  let operations = 0;
  let position = 0;
  for (;;) {
    const length = readSync(file, chunk, 0, readBytes, position);
    const passed = decodeBlocks(packr, chunk.subarray(0, length));
    if (passed.bytes === 0) break;
    operations += passed.events;
    position += passed.bytes;
  }
  const seconds = (performance.now() - start) / 1000;
  closeSync(file);
  return { operations, seconds, latencies: [] };
}

/** Every whole block in `chunk`. */
function decodeBlocks(packr: Packr, chunk: Buffer): { events: number; bytes: number } {
  let events = 0;
  let start = 0;
  while (start + 8 <= chunk.length) {
    const end = start + 8 + chunk.readUInt32LE(start);
    if (end > chunk.length) break;
    const body = chunk.subarray(start + 8, end);
    if (crc32(body) !== chunk.readUInt32LE(start + 4)) throw new Error('a block is damaged');
    events += decodeEvents(packr, body);
    start = end;
  }
  return { events, bytes: start };
}

function decodeEvents(packr: Packr, body: Buffer): number {
  let events = 0;
  for (let position = 0; position < body.length; events += 1) {
    const valueEnd = position + 8 + body.readUInt32LE(position);
    const end = valueEnd + body.readUInt32LE(position + 4);
    const fields: unknown[] = packr.unpack(body.subarray(position + 8, valueEnd));
    // The fifth says that its record names who caused it.
    if (fields.length < 4 || fields.length > 5) throw new Error('an event has four or five fields');
    position = end;
  }
  return events;
}

const { side, directory } = settings<ReplaySettings>();
answer(() => (side === 'stepwell' ? replayThroughEngine(directory) : replayBare(directory)));
ready(directory);
