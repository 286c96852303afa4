import { createServer } from 'node:tls';
import type { CommitLog } from '../../../src/cluster/commit-log.js';
import { KafkaLog, openKafkaLog } from '../../../src/cluster/kafka/kafka-log.js';
import { parseKafkaUrl } from '../../../src/cluster/kafka/kafka-url.js';
import type { Protocol } from '../../../src/cluster/kafka/protocol.js';
import { systemClock } from '../../../src/engine/clock.js';
import { selfSigned } from '../../support/clients/self-signed-certificate.js';
import {
  describeWithMockBrokers,
  describeWithRealBrokers,
  MockBrokers,
  realBrokers,
} from '../mock-brokers/mock-brokers.js';
import { oldProtocol } from '../mock-brokers/old-protocol.js';
import { fetch } from '../mock-brokers/old-requests.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = (text: string) => Buffer.from(text);

const notLeader = 6;
const timedOut = 7;
const notEnoughReplicas = 19;

/** Reads everything from a place on, with as many reads as needed. */
async function all(log: CommitLog, from = 0): Promise<string[]> {
  const found: string[] = [];
  for (let end = from + 1; from + found.length < end; ) {
    const read = await log.read(from + found.length);
    end = read.end;
    expect(read.entries.map(({ place }) => place)).toEqual(
      read.entries.map((_entry, index) => from + found.length + index),
    );
    found.push(...read.entries.map((entry) => String(entry.bytes)));
  }
  return found;
}

/** The tests that both mock brokers and real brokers pass. */
function describeLog(open: (topic: string) => Promise<CommitLog>): void {
  it('assigns places in order', async () => {
    const log = await open('places');
    expect(await log.read(0)).toEqual({ start: 0, end: 0, entries: [] });
    for (let place = 0; place < 20; place += 1) {
      // Kafka does not compare places, so the expected place makes no difference.
      const outcome = await log.append(place === 7 ? 3 : place, bytes(`${place}`));
      expect(outcome).toMatchObject({ kind: 'stored', place });
    }
    expect(await all(log)).toEqual(Array.from({ length: 20 }, (_, place) => `${place}`));
    expect(await all(log, 15)).toEqual(['15', '16', '17', '18', '19']);
    expect(await log.end()).toBe(20);
    const ats = (await log.read(0)).entries.map(({ at }) => at);
    expect(ats.every((at) => Math.abs((at ?? 0) - Date.now()) < 3_600_000)).toBe(true);
  });

  it('gives each of several concurrent writers a place, in one order for all', async () => {
    const logs = [await open('race'), await open('race'), await open('race')];
    const places = new Map<number, string>();
    for (let round = 0; round < 10; round += 1) {
      const texts = logs.map((_log, index) => `${index} of ${round}`);
      const outcomes = await Promise.all(
        logs.map((log, index) => log.append(round * 3, bytes(texts[index]!))),
      );
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kind === 'stored') places.set(outcome.place, texts[index]!);
      }
    }
    expect(places.size).toBe(30);
    for (const log of logs) {
      expect(await all(log)).toEqual(
        [...places.keys()].sort((a, b) => a - b).map((at) => places.get(at)),
      );
    }
  });

  it('holds entries of every size', async () => {
    const log = await open('sizes');
    const sizes = [0, 1, 16_384, 900 * 1024 + 48];
    for (const size of sizes) {
      const outcome = await log.append(0, Buffer.alloc(size, size % 256));
      expect(outcome.kind).toBe('stored');
    }
    for (const [place, size] of sizes.entries()) {
      const [entry] = (await log.read(place)).entries;
      expect(entry?.bytes.equals(Buffer.alloc(size, size % 256))).toBe(true);
    }
  });
}

describeWithRealBrokers('a log on real brokers', () => {
  const logs: CommitLog[] = [];
  const run = `stepwell-test-${process.pid}-${Date.now()}`;
  const open = async (topic: string) => {
    const log = await openKafkaLog(`kafka://${realBrokers}/${run}-${topic}`);
    logs.push(log);
    return log;
  };

  afterAll(async () => {
    for (const log of logs) await log.close();
  });

  describeLog(open);

  it('deletes what is trimmed, and keeps the places of the rest', async () => {
    const log = await open('trimmed');
    for (let place = 0; place < 40; place += 1) await log.append(place, bytes(`${place}`));
    await log.trim(30);
    expect(await log.read(0)).toEqual({ start: 30, end: 40, entries: [] });
    await log.trim(1000);
    expect(await log.read(40)).toEqual({ start: 40, end: 40, entries: [] });
    expect(await log.append(40, bytes('next'))).toMatchObject({ kind: 'stored', place: 40 });
  });
});

describeWithMockBrokers('a log on the protocol of Kafka', () => {
  let brokers: MockBrokers;
  let protocol: Protocol;
  const logs: CommitLog[] = [];
  const made = new Set<string>();
  /** What logs have failed for, in its order. */
  const reasons: string[] = [];
  const open = async (topic: string, using: Partial<Protocol> = {}, addresses?: string) => {
    if (!made.has(topic)) await brokers.topic(topic);
    made.add(topic);
    const target = parseKafkaUrl(`kafka://${addresses ?? brokers.addresses}/${topic}`);
    const failed = (error: unknown) => void reasons.push(String(error));
    const log = new KafkaLog({ ...protocol, ...using }, target, systemClock, failed);
    logs.push(log);
    return log;
  };

  beforeAll(async () => {
    protocol = await oldProtocol();
    brokers = await MockBrokers.start();
  });

  afterAll(async () => {
    for (const log of logs) await log.close();
    brokers.stop();
  });

  describeLog(open);

  it.each([notLeader, timedOut, notEnoughReplicas])(
    'treats error %d as an unknown outcome',
    async (code) => {
      const log = await open(`error-${code}`);
      await log.append(0, bytes('before'));
      await brokers.fail('produce', code);
      reasons.length = 0;
      expect(await log.append(1, bytes('fails'))).toEqual({ kind: 'unknown' });
      expect(reasons).toEqual([expect.stringMatching(/^KafkaUnavailable: .*error/)]);
      expect(await log.append(1, bytes('after'))).toMatchObject({ kind: 'stored', place: 1 });
      expect(await all(log)).toEqual(['before', 'after']);
    },
  );

  it('gives up an append that waits, whose entry may be stored all the same', async () => {
    const log = await open('lost');
    await log.append(0, bytes('before'));
    await brokers.answerLate(1, 'produce', 60_000);
    const waits = log.append(1, bytes('waits'));
    while ((await log.end()) < 2) await pause(5);
    expect(await log.append(1, bytes('again'))).toMatchObject({ kind: 'stored', place: 2 });
    expect(await waits).toEqual({ kind: 'unknown' });
    expect(await all(log)).toEqual(['before', 'waits', 'again']);
  });

  it('appends even if a connection takes longer than a node waits for an append', async () => {
    class SlowConnection extends protocol.Connection {
      override async connect(host: string, port: number): Promise<void> {
        await pause(800);
        return super.connect(host, port);
      }
    }
    const log = await open('slow', { Connection: SlowConnection });
    const outcomes: string[] = [];
    // Like a node, gives up an append after a second by starting the next.
    while (!outcomes.includes('stored') && outcomes.length < 10) {
      const late = pause(1000).then(() => 'late');
      const append = log.append(0, bytes('one')).then(({ kind }) => kind);
      outcomes.push(await Promise.race([append, late]));
    }
    expect(outcomes.at(-1)).toBe('stored');
    expect(await all(log)).toEqual(['one']);
  });

  it('follows its leader', async () => {
    const log = await open('moved');
    const stored: string[] = [];
    for (const leader of [2, 3, 1, 2]) {
      const text = `by ${leader}`;
      while ((await log.append(stored.length, bytes(text))).kind !== 'stored') await pause(5);
      stored.push(text);
      await brokers.lead('moved', leader);
    }
    const read = async (): Promise<string[]> => all(log).catch(() => read());
    expect(await read()).toEqual(stored);
  });

  it('continues when its brokers come back', async () => {
    const log = await open('away');
    await log.append(0, bytes('before'));
    for (const broker of [1, 2, 3]) await brokers.down(broker);
    expect(await log.append(1, bytes('fails'))).toEqual({ kind: 'unknown' });
    await expect(log.read(0)).rejects.toThrow();
    reasons.length = 0;
    await expect(log.read(0)).rejects.toThrow(/no broker says who leads.*ECONNREFUSED/);
    expect(reasons).toEqual([expect.stringMatching(/no broker says who leads.*ECONNREFUSED/)]);
    for (const broker of [1, 2, 3]) await brokers.up(broker);
    expect(await log.append(1, bytes('after'))).toMatchObject({ kind: 'stored', place: 1 });
    expect(await all(log)).toEqual(['before', 'after']);
  });

  it('waits for its first entry, and answers at once when it comes', async () => {
    const [log, other] = [await open('waits'), await open('waits')];
    const found = log.read(0);
    await other.append(0, bytes('first'));
    const { entries, end } = await found;
    // The broker may answer with the new entry, or with none.
    expect(entries.length).toBe(end);
  });

  it('reports its end to a reader that has read beyond it', async () => {
    const log = await open('cut-off');
    await log.append(0, bytes('only'));
    expect(await log.read(5)).toEqual({ start: 0, end: 1, entries: [] });
  });

  it('does not believe a former leader that entries are missing', async () => {
    const { addresses } = brokers;
    const [first = '', second = ''] = addresses.split(',');
    // The broker asked first says that it still leads; the other one knows the new leader.
    const metadata: Protocol['metadata'] = async (connection, ...words) => {
      const answer = await protocol.metadata(connection, ...words);
      const isFirst = first.endsWith(`:${connection.port}`);
      const partition = answer.topics[0]!.partitions[0]!;
      partition.leaderEpoch = isFirst ? 4 : 5;
      if (!isFirst) await pause(500);
      return answer;
    };
    const log = await open('older', { metadata }, `${first},${second}`);
    await log.append(0, bytes('only'));
    await expect(log.read(5)).rejects.toThrow('another broker leads by now');
    // From now on that broker is not used: its epoch is older than one already seen.
    expect(await log.read(5)).toEqual({ start: 0, end: 1, entries: [] });
  });

  it('leaves a leader of older days once any broker has said that another one leads', async () => {
    const { addresses } = brokers;
    const [first = '', second = ''] = addresses.split(',');
    let isHeard = false;
    const metadata: Protocol['metadata'] = async (connection, ...words) => {
      const answer = await protocol.metadata(connection, ...words);
      const isFirst = first.endsWith(`:${connection.port}`);
      answer.topics[0]!.partitions[0]!.leaderEpoch = isFirst ? 4 : 5;
      if (!isFirst) await pause(500);
      isHeard ||= !isFirst;
      return answer;
    };
    const asked: number[] = [];
    const fetch: Protocol['fetch'] = (...words) => {
      asked.push(words[7][0]!.partitions[0]!.currentLeaderEpoch);
      return protocol.fetch(...words);
    };
    const log = await open('left', { metadata, fetch }, `${first},${second}`);
    await log.read(0);
    while (!isHeard) await pause(20);
    await pause(20);
    await expect(log.read(0)).rejects.toThrow('another broker leads by now');
    await log.read(0);
    expect(asked).toEqual([4, 5]);
  });

  it('reads on behind a line that is too slow for as much as a read may bring', async () => {
    const mebibyte = 1024 * 1024;
    let isSlow = true;
    const asked: number[] = [];
    const fetch: Protocol['fetch'] = async (...words) => {
      asked.push(words[3]);
      if (isSlow && words[3] > mebibyte) throw new Error('Request timed out');
      return protocol.fetch(...words);
    };
    const log = await open('slow-line', { fetch });
    await log.append(0, bytes('one'));
    await expect(log.read(0)).rejects.toThrow('Request timed out');
    await expect(log.read(0)).rejects.toThrow('Request timed out');
    expect(await all(log)).toEqual(['one']);
    isSlow = false;
    while (asked.at(-1)! < 8 * mebibyte) await log.read(0);
  });

  it('does not take a new leader that knows little yet for a log that was cut off', async () => {
    let isNew = true;
    const fetch: Protocol['fetch'] = async (...words) => {
      const answer = await protocol.fetch(...words);
      if (isNew) answer.responses[0]!.partitions[0]!.highWatermark = 1n;
      return answer;
    };
    const log = await open('new-leader', { fetch });
    for (const text of ['a', 'b', 'c']) await log.append(0, bytes(text));
    await expect(log.read(3)).rejects.toThrow('the leader answers for places before 1 as yet');
    isNew = false;
    expect(await log.read(3)).toEqual({ start: 0, end: 3, entries: [] });
  });

  it('does not take the time of a producer for the time of the log', async () => {
    const log = await open('times', { fetch: fetch.async });
    expect(await log.append(0, bytes('a'))).toEqual({ kind: 'stored', place: 0, at: null });
    expect((await log.read(0)).entries).toMatchObject([{ place: 0, at: null }]);
  });

  it('shows the place of a marker as missing', async () => {
    const control = 0x20;
    const fetch: Protocol['fetch'] = async (...words) => {
      const answer = await protocol.fetch(...words);
      for (const batch of answer.responses[0]!.partitions[0]!.records ?? []) {
        if (batch.firstOffset === 1n) batch.attributes |= control;
      }
      return answer;
    };
    const log = await open('marker', { fetch });
    for (const text of ['a', 'b', 'c']) await log.append(0, bytes(text));
    const places: number[] = [];
    for (let from = 0; from < 3; from += 1) {
      places.push(...(await log.read(from)).entries.map(({ place }) => place));
    }
    expect(new Set(places)).toEqual(new Set([0, 2]));
  });
});

describe('openKafkaLog', () => {
  it('uses TLS, and does not trust a self-signed certificate', async () => {
    const server = createServer({ ...selfSigned });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const url = `kafka://user:secret@127.0.0.1:${port}/log?tls=true&sasl=scram-sha-512`;
    await expect(openKafkaLog(url)).rejects.toThrow(/no broker answers.*self-signed certificate/);
    server.close();
  });

  it('reports that no broker answers', async () => {
    await expect(openKafkaLog('kafka://127.0.0.1:1,127.0.0.1:2/log')).rejects.toThrow(
      /no broker answers about the topic: .*ECONNREFUSED.*ECONNREFUSED/,
    );
  });
});
