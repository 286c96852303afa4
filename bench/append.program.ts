/** Measured program: appenders that wait for the disk, over the store or over the bare loop. */
import { randomBytes } from 'node:crypto';
import { type RecordInput, recordLength } from '../storage/record.js';
import { BareLog } from './bare-log.js';
import type { Round } from './contest.js';
import { answer, ready, settings } from './measured-program.js';
import { openFolder } from './stored-folder.js';

/** How the program is started. */
export interface AppendSettings {
  readonly side: 'stepwell' | 'bare';
  readonly directory: string;
  /** Bytes of a record's value. */
  readonly recordBytes: number;
  /** Each appends its next record when the one before is durable. */
  readonly appenders: number;
}

type Append = (record: RecordInput) => Promise<void>;

async function overStore(directory: string): Promise<Append> {
  const store = await openFolder(directory);
  const log = await store.createLog('bench', { preparesNextSegment: true });
  return (record) => log.append([record]).durable;
}

/** As many bytes for a record as the store takes for it, headers of batches aside. */
function overBareLoop(directory: string): Append {
  const log = new BareLog(directory, true);
  const bytes = new Map<RecordInput, Buffer>();
  return (record) => {
    const known = bytes.get(record) ?? randomBytes(recordLength(record));
    bytes.set(record, known);
    return log.append(known);
  };
}

/** Past the first file, the only one that grows: a log spends its life in prepared ones. */
async function fillFirstFile(append: Append): Promise<void> {
  const record = { key: null, value: randomBytes(1024 * 1024) };
  for (let count = 0; count < 65; count += 1) await append(record);
}

async function run(append: Append, record: RecordInput, seconds: number): Promise<Round> {
  let operations = 0;
  let isOver = false;
  const appender = async () => {
    while (!isOver) {
      await append(record);
      operations += 1;
    }
  };
  const start = performance.now();
  setTimeout(() => {
    isOver = true;
  }, seconds * 1000);
  await Promise.all(Array.from({ length: appenders }, appender));
  return { operations, seconds: (performance.now() - start) / 1000, latencies: [] };
}

const { side, directory, recordBytes, appenders } = settings<AppendSettings>();
const append = side === 'stepwell' ? await overStore(directory) : overBareLoop(directory);
await fillFirstFile(append);
const record = { key: null, value: randomBytes(recordBytes) };
answer(({ seconds }: { readonly seconds: number }) => run(append, record, seconds));
ready(directory);
