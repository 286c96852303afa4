import { TailStream, type TailTerms } from '../../../src/topics/tail/tail-stream.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { openTopicStore, storeFolder, topicLogs } from '../../support/topic-store.js';

let store: Store;
let log: PartitionLog;

beforeEach(async () => {
  store = await openTopicStore(await storeFolder(), () => 1_767_000_000_000);
  [log] = (await topicLogs(store, 1)) as [PartitionLog];
});

afterEach(() => store.close());

async function append(...values: readonly string[]): Promise<void> {
  for (const value of values) await log.append([{ key: null, value: Buffer.from(value) }]).durable;
}

/** Trims all current records. */
async function trimAll(): Promise<void> {
  await log.roll();
  await log.trimTo(log.highWatermark);
}

/** Tails `log` from its start until nothing is left to send. */
async function tail(askForRoom: () => Promise<void>): Promise<string> {
  let sent = '';
  const events: TailTerms['events'] = {
    isOver: false,
    run: (_first, serve) => serve(),
    askForRoom,
    send: async (text) => {
      sent += text;
    },
    wait: async (watch) => {
      const come = new Promise<void>((resolve) => watch(resolve));
      if (place.next >= log.highWatermark) Object.assign(events, { isOver: true });
      else await come;
      return true;
    },
    end: () => undefined,
  };
  const place = { partition: 0, log, next: log.startOffset };
  const continues = () => store.log(log.name) === log;
  const terms = { topic: 't', events, encoding: 'text', all: () => [log] } as const;
  await new TailStream([place], { ...terms, isSelected: () => true, continues }).run();
  return sent;
}

const valuesIn = (sent: string) => [...sent.matchAll(/"value":"(\w+)"/g)].map(([, value]) => value);

describe('a tail', () => {
  it('continues with what is left if retention comes while it waits for room', async () => {
    await append('old', 'older');
    let asked = 0;
    const sent = await tail(async () => {
      asked += 1;
      if (asked > 1) return;
      await trimAll();
      await append('new');
    });
    expect(valuesIn(sent)).toEqual(['new']);
  });

  it('continues with what is left if retention comes while it reads', async () => {
    await append('old', 'older');
    const read = log.read.bind(log);
    log.read = async (from, options) => {
      log.read = read;
      await trimAll();
      await append('new');
      return read(from, options);
    };
    expect(valuesIn(await tail(async () => undefined))).toEqual(['new']);
  });

  it('ends if its topic is deleted before it reads', async () => {
    await append('old');
    expect(valuesIn(await tail(async () => void (await store.dropLog(log.name))))).toEqual([]);
  });
});
