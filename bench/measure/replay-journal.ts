/**
 * A journal of messages made by the real engine, and beside it the same events as the bare replay
 * reads them: blocks of about 16 KiB, as the store makes its batches.
 *
 *     block   length UINT32, crc32 UINT32 of the rest, events
 *     event   valueLength UINT32, otherLength UINT32, value (msgpack), key and body
 */
import { randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { openJournalLog } from '../../src/engine/journal.js';
import type { LogRecord } from '../../storage/format/record.js';
import type { Store } from '../../storage/store.js';
import { openMessageEngine } from '../load/message-engine.js';
import { deliveryOf, publishOf } from '../load/message-events.js';
import { openFolder } from './stored-folder.js';

/** Where the bare replay finds its events and the field names of their shapes. */
export const bareEvents = 'bare-events';
export const bareStructures = 'bare-structures.json';

const bodyBytes = 256;
const turnCommands = 128;
const blockBytes = 16 * 1024;

/** Publishes messages and delivers all but one in ten of them, until there are about `events`. */
export async function buildJournal(directory: string, events: number): Promise<void> {
  const store = await openFolder(join(directory, 'data'));
  const { engine } = await openMessageEngine(store);
  const body = randomBytes(bodyBytes);
  const at = Date.now();
  const notBefore = at + 24 * 3600 * 1000;
  const url = 'http://127.0.0.1:8080/orders';
  const publish = (number: number) => publishOf({ number, url, body, at, notBefore });
  for (let first = 0; first < events / 1.9; first += turnCommands) {
    const numbers = Array.from({ length: turnCommands }, (_, index) => first + index);
    await engine.dispatch(numbers.map(publish));
    const delivered = numbers.filter((number) => number % 10 !== 0);
    await engine.dispatch(delivered.map((number) => deliveryOf(number, at)));
  }
  await writeBareEvents(store, directory);
  engine.effects.stop();
  await store.close();
}

async function writeBareEvents(store: Store, directory: string): Promise<void> {
  const log = await openJournalLog(store);
  const file = await open(join(directory, bareEvents), 'wx');
  let block: Buffer[] = [];
  let length = 0;
  const flush = async () => {
    await file.write(blockOf(Buffer.concat(block)));
    block = [];
    length = 0;
  };
  for (let offset = log.startOffset; offset < log.highWatermark; ) {
    for (const batch of await log.read(offset, { maxBytes: 1024 * 1024 })) {
      for (const record of batch.records()) {
        const bytes = eventOf(record);
        if (record.key === null) await writeStructures(directory, record);
        else block.push(bytes);
        length += bytes.length;
        if (length >= blockBytes) await flush();
      }
      offset = batch.nextOffset;
    }
  }
  await flush();
  await file.close();
}

async function writeStructures(directory: string, { value }: LogRecord): Promise<void> {
  await writeFile(join(directory, bareStructures), value ?? '[]');
}

function eventOf({ key, value, headers }: LogRecord): Buffer {
  const head = Buffer.alloc(8);
  const others = [key, ...headers.map((header) => header.value)].filter((bytes) => bytes !== null);
  head.writeUInt32LE(value?.length ?? 0, 0);
  head.writeUInt32LE(Buffer.concat(others).length, 4);
  return Buffer.concat([head, value ?? Buffer.alloc(0), ...others]);
}

function blockOf(events: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(events.length, 0);
  head.writeUInt32LE(crc32(events), 4);
  return Buffer.concat([head, events]);
}
