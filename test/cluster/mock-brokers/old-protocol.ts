/** The product's requests, in versions that Debian's mock brokers answer. */
import { loadProtocol, type Protocol } from '../../../src/cluster/kafka/protocol.js';
import { fetch, metadata } from './old-requests.js';

/** With the two in their place that those brokers do not know. */
export async function oldProtocol(): Promise<Protocol> {
  return { ...(await loadProtocol()), metadata: metadata.async, fetch: fetch.async };
}
