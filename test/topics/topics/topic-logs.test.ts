import type { KeepPartitionLogs } from '../../../src/topics/topics/topic.state.js';
import { TopicLogs } from '../../../src/topics/topics/topic-logs.js';
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { type ManualTimers, openSimulated, settle } from '../../storage/simulated-store.js';

let disk: SimulatedDisk;
let store: Store;
let timers: ManualTimers;
let logs: TopicLogs;
let failures: unknown[];

beforeEach(async () => {
  disk = new SimulatedDisk();
  await open();
});

afterEach(async () => {
  await store.close();
  expect(failures).toEqual([]);
});

async function open(): Promise<void> {
  ({ store, timers } = await openSimulated(disk));
  failures = [];
  logs = new TopicLogs(store, (error) => failures.push(error));
}

const keep = (partitions: number, ...trims: KeepPartitionLogs['trims']): KeepPartitionLogs => {
  return { kind: 'keepPartitionLogs', id: 'logs', notBefore: 0, partitions, trims };
};
const wanted = () => true;
const names = () => store.logs().map(({ name }) => name);
const append = async (log: PartitionLog | undefined, count: number) => {
  const records = Array.from({ length: count }, () => {
    return { key: null, value: Buffer.alloc(100), headers: [] };
  });
  for (const record of records) await log?.append([record]).durable;
};
/** Makes every write fail for lack of space, until `roomAgain`. */
const fill = () => {
  disk.failures = [{ operation: 'write', code: 'ENOSPC', nth: 1, lasting: true, under: '/data' }];
};
const roomAgain = async () => {
  disk.failures = [];
  timers.advance(1000);
  for (let turn = 0; turn < 5; turn += 1) await settle();
};
const dropped = (topic: string, partitions: number) =>
  new Promise<void>((resolve) => logs.drop(topic, partitions, resolve));

describe('the logs of a topic', () => {
  it('are waited for while they are created, and are found again', async () => {
    logs.keep('rides', keep(2), wanted);
    expect(logs.present('rides')).toEqual([]);
    expect((await logs.logs('rides'))?.map(({ name }) => name)).toEqual([
      'topic/rides/0',
      'topic/rides/1',
    ]);
    expect(await logs.logs('fares')).toBeUndefined();
    await store.close();
    await open();
    logs.keep('rides', keep(2), wanted);
    expect(await logs.logs('rides')).toHaveLength(2);
    expect(store.logs()).toHaveLength(2);
  });

  it('grow in number, while the existing ones stay in use', async () => {
    const reported: [string, number][] = [];
    logs.onPartitions((topic) => reported.push([topic, logs.present(topic).length]));
    logs.keep('rides', keep(1), wanted);
    const [first] = (await logs.logs('rides')) ?? [];
    logs.keep('rides', keep(3), wanted);
    expect(await logs.logs('rides')).toEqual([first]);
    const grown = await logs.opened('rides', 3, wanted);
    expect(grown?.[0]).toBe(first);
    expect(grown).toHaveLength(3);
    logs.keep('rides', keep(3, { partition: 0, before: 0 }), wanted);
    await settle();
    expect(reported).toEqual([
      ['rides', 1],
      ['rides', 3],
    ]);
  });

  it('begin where they were trimmed before the first read, and delete what they can', async () => {
    logs.keep('rides', keep(1), wanted);
    const [log] = (await logs.logs('rides')) ?? [];
    await append(log, 40);
    await store.close();
    await open();
    const trim = { partition: 0, before: 25 };
    logs.keep('rides', keep(1, trim), wanted);
    const [again] = (await logs.logs('rides')) ?? [];
    expect(again?.startOffset).toBe(25);
    await logs.trim('rides', [{ partition: 0, before: 40 }]);
    expect([again?.startOffset, again?.segments, again?.byteLength]).toEqual([40, [], 0]);
  });

  it('are gone for all readers when they are dropped, including waiting ones', async () => {
    logs.keep('rides', keep(2), wanted);
    await logs.logs('rides');
    let exists = true;
    const grown = logs.opened('rides', 5, () => exists);
    exists = false;
    const gone = dropped('rides', 2);
    expect(await logs.logs('rides')).toBeUndefined();
    expect(await grown).toBeUndefined();
    expect(await logs.opened('rides', 1, () => exists)).toBeUndefined();
    await gone;
    expect(names()).toEqual([]);
  });

  it('are not left behind by a topic that was deleted during their creation', async () => {
    let isWanted = true;
    logs.keep('rides', keep(4), () => isWanted);
    const waiting = logs.logs('rides');
    isWanted = false;
    await dropped('rides', 4);
    expect(await waiting).toBeUndefined();
    expect(names()).toEqual([]);
  });

  it('are created again without any record of the previous ones', async () => {
    logs.keep('rides', keep(1), wanted);
    await append((await logs.logs('rides'))?.[0], 3);
    await dropped('rides', 1);
    logs.keep('rides', keep(1), wanted);
    const [log] = (await logs.logs('rides')) ?? [];
    expect([log?.startOffset, log?.endOffset]).toEqual([0, 0]);
  });
});

describe('a hook for dropped topics', () => {
  it('is called when the logs are gone, and is awaited before the name is free', async () => {
    const happened: string[] = [];
    for (const name of ['first', 'second']) {
      logs.onDropped(async (topic) => {
        happened.push(`${name} begins: ${names().length} logs of ${topic}`);
        await new Promise((resolve) => setImmediate(resolve));
        happened.push(`${name} ends`);
      });
    }
    logs.keep('rides', keep(2), wanted);
    await dropped('rides', 2);
    happened.push('dropped');
    expect(happened).toEqual([
      'first begins: 0 logs of rides',
      'first ends',
      'second begins: 0 logs of rides',
      'second ends',
      'dropped',
    ]);
  });

  it('that fails keeps the name taken, and the failure is reported', async () => {
    logs.onDropped(() => Promise.reject(new Error('not now')));
    let isDone = false;
    logs.drop('rides', 1, () => {
      isDone = true;
    });
    await settle();
    expect([isDone, failures]).toEqual([false, [new Error('not now')]]);
    failures = [];
  });
});

it('logs that are created or dropped while the store closes wait for the next start', async () => {
  logs.keep('rides', keep(3), wanted);
  await logs.logs('rides');
  logs.keep('rides', keep(50), wanted);
  await store.close();
  logs.drop('fares', 1, () => failures.push('dropped after the end'));
  await settle();
  await open();
  logs.keep('rides', keep(50), wanted);
  expect(await logs.opened('rides', 50, wanted)).toHaveLength(50);
});

it('internal logs are opened under names that no topic can take', async () => {
  const log = await logs.openInternal('__offsets');
  await append(log, 1);
  expect(await logs.openInternal('__offsets')).toBe(log);
  expect([...logs.internal.keys()]).toEqual(['__offsets']);
  expect(await logs.logs('__offsets')).toBeUndefined();
  expect(logs.byteLength).toBe(log.byteLength);
});

describe('the logs of a topic on a full disk', () => {
  it('are created once there is space; waiters are rejected until then', async () => {
    fill();
    logs.keep('rides', keep(2), wanted);
    await expect(logs.opened('rides', 2, wanted)).rejects.toBeInstanceOf(DiskFull);
    expect(logs.present('rides')).toEqual([]);
    const later = logs.logs('rides');
    await roomAgain();
    expect(await later).toHaveLength(2);
    expect(names()).toEqual(['topic/rides/0', 'topic/rides/1']);
    await append(logs.present('rides')[1], 1);
  });

  it('are trimmed once there is space; no reader sees the trimmed records', async () => {
    logs.keep('rides', keep(1), wanted);
    const [log] = (await logs.logs('rides')) ?? [];
    await append(log, 30);
    const bytes = log?.byteLength ?? 0;
    fill();
    logs.keep('rides', keep(1, { partition: 0, before: 30 }), wanted);
    await settle();
    expect([log?.startOffset, log?.byteLength]).toEqual([30, bytes]);
    await roomAgain();
    expect([log?.startOffset, log?.byteLength]).toEqual([30, 0]);
  });

  it('are dropped once there is space, and an ended effect does not bring them back', async () => {
    logs.keep('rides', keep(2), wanted);
    const [log] = (await logs.logs('rides')) ?? [];
    await append(log, 3);
    fill();
    let isWanted = true;
    logs.keep('rides', keep(3), () => isWanted);
    await settle();
    isWanted = false;
    const gone = dropped('rides', 3);
    await settle();
    expect(names()).toEqual(['topic/rides/0', 'topic/rides/1']);
    await roomAgain();
    await gone;
    expect(names()).toEqual([]);
  });
});
