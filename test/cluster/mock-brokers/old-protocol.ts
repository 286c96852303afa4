/** The product's requests, as Debian's mock brokers answer them. */
import { loadProtocol, type Protocol } from '../../../src/cluster/kafka/protocol.js';
import { fetch, metadata, produce } from './old-requests.js';

/**
 * With replacements for those that mock brokers answer otherwise. Fetched records have the times of
 * their producers, as if they were the log's: the tests and the checker of rounds compare times.
 */
export async function oldProtocol(): Promise<Protocol> {
  return { ...(await loadProtocol()), metadata: metadata.async, fetch: timed, produce };
}

/** kafka.apache.org/documentation, "Record Batch": the time of a batch is the log's. */
const logAppendTime = 0x08;

const timed: Protocol['fetch'] = async (...words) => {
  const answer = await fetch.async(...words);
  for (const { records = [] } of answer.responses.flatMap(({ partitions }) => partitions)) {
    for (const batch of records) batch.attributes |= logAppendTime;
  }
  return answer;
};
