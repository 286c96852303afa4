/** Measured program: appenders that wait for the disk, over the store or over the bare loop. */
import { randomBytes } from 'node:crypto';
import type { RecordInput } from '../../storage/format/record.js';
import { recordLength } from '../../storage/format/record-encoding.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import type { Round } from '../measure/contest.js';
import { openFolder } from '../measure/stored-folder.js';
import { BareLog } from './bare-log.js';
import { answer, ready, settings } from './measured-program.js';

/** How the program is started. */
export interface AppendSettings {
  readonly side: 'stepwell' | 'bare';
  readonly directory: string;
  /** Bytes of a record's value. */
  readonly recordBytes: number;
  /** Each appends its next record when the one before is durable. */
  readonly appenders: number;
  /** Over so many logs, in turn; the bare loop has one file whatever this says. */
  readonly logs: number;
}

/** How one record is appended by any of the appenders; settles when it is durable. */
type AppendOf = (record: RecordInput) => (appender: number) => Promise<void>;

async function overStore({ directory, logs: count }: AppendSettings): Promise<AppendOf> {
  const store = await openFolder(directory);
  const logs: PartitionLog[] = [];
  for (let number = 0; number < count; number += 1) {
    logs.push(await store.createLog(`log ${number}`, { preparesNextSegment: count === 1 }));
  }
  return (record) => (appender) => {
    const log = logs[appender % count];
    if (log === undefined) throw new Error(`there is no log for appender ${appender}`);
    return log.append([record]).durable;
  };
}

/** As many bytes for a record as the store takes for it, headers of batches aside. */
function overBareLoop({ directory, logs }: AppendSettings): AppendOf {
  const log = new BareLog(directory, logs === 1);
  return (record) => {
    const bytes = randomBytes(recordLength(record));
    return () => log.append(bytes);
  };
}

/** Past the first file, so that rolls and seals are under way in what is measured. */
async function fillFirstFile(appendOf: AppendOf): Promise<void> {
  const append = appendOf({ key: null, value: randomBytes(1024 * 1024) });
  for (let count = 0; count < 65; count += 1) await append(0);
}

async function run(append: ReturnType<AppendOf>, seconds: number): Promise<Round> {
  let operations = 0;
  let isOver = false;
  const appender = async (_: unknown, number: number) => {
    while (!isOver) {
      await append(number);
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

const given = settings<AppendSettings>();
const { side, directory, recordBytes, appenders, logs } = given;
const appendOf = side === 'stepwell' ? await overStore(given) : overBareLoop(given);
if (logs === 1) await fillFirstFile(appendOf);
const append = appendOf({ key: null, value: randomBytes(recordBytes) });
answer(({ seconds }: { readonly seconds: number }) => run(append, seconds));
ready(directory);
