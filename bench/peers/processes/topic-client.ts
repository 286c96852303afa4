/** Clients in the bench's own process of peers that speak a protocol of their own. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TopicContents } from '../../load/log-topic.js';
import { passes } from '../../load/topic-passes.js';
import type { Caller, PeerServer } from '../peer.js';
import { peersFolder } from './program.js';

/** What `<peer>/client.mjs` gives. */
export interface TopicClient {
  /** Settles when all of them are acknowledged. */
  produce(records: number, value: string): Promise<unknown>;
  /** Reads so many records from the beginning, as a reader that was not there before. */
  read(records: number): Promise<unknown>;
  close(): Promise<unknown>;
}

export async function openClient(peer: string, port: number): Promise<TopicClient> {
  const file = pathToFileURL(join(peersFolder, peer, 'client.mjs')).href;
  const { open } = (await import(file)) as { open(port: number): Promise<TopicClient> };
  return open(port);
}

/** What such a peer can do. */
export function topicWorks(client: TopicClient): Required<Pick<PeerServer, 'produce' | 'consume'>> {
  return {
    produce: async (records, value): Promise<Caller> => ({
      operationsEach: records,
      call: () => client.produce(records, value),
      close: async () => undefined,
    }),
    consume: async ({ partitions, recordsEach, value, batchRecords }: TopicContents) => {
      const operations = partitions * recordsEach;
      for (let count = 0; count < operations; count += batchRecords) {
        await client.produce(batchRecords, value);
      }
      const pass = async () => {
        const start = performance.now();
        await client.read(operations);
        return { operations, seconds: (performance.now() - start) / 1000, latencies: [] };
      };
      return (seconds) => passes(seconds, pass);
    },
  };
}
