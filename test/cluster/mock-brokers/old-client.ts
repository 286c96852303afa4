/**
 * Replaces parts of the Kafka client in a server under test: requests in versions that Debian's
 * mock brokers answer, and answers about the settings of a topic, which those brokers do not give.
 */
import { fetch, metadata, produce } from './old-requests.js';

export const metadataV9 = { api: metadata };
export const fetchV12 = { api: fetch };
export const produceV7 = { api: { async: produce } };

const fit = {
  'min.insync.replicas': '2',
  'unclean.leader.election.enable': 'false',
  'cleanup.policy': 'delete',
  'retention.ms': '-1',
  'retention.bytes': '-1',
  'max.message.bytes': '1048588',
  'message.timestamp.type': 'LogAppendTime',
  'compression.type': 'producer',
};
const changed = JSON.parse(process.env['MOCK_TOPIC_SETTINGS'] ?? '{}');
const configs = Object.entries({ ...fit, ...changed }).map(([name, value]) => ({ name, value }));

export const describeConfigsV2 = { api: { async: async () => ({ results: [{ configs }] }) } };
