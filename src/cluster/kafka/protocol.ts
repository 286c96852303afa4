/** The requests of the Kafka protocol that the log needs, encoded by a client library (ADR 68). */
import type * as Kafka from '@platformatic/kafka';

/**
 * Loads the client, only when it is needed. Each request uses one fixed version, which brokers from
 * 2.8 to 4 support, so that no broker has to be asked which versions it supports.
 */
export async function loadProtocol() {
  const kafka = await import('@platformatic/kafka').catch((cause: unknown) => {
    throw new KafkaUnavailable('it needs a client: npm install @platformatic/kafka', { cause });
  });
  return {
    Connection: kafka.Connection,
    metadata: kafka.metadataV9.api.async,
    createTopics: kafka.createTopicsV7.api.async,
    describeConfigs: kafka.describeConfigsV2.api.async,
    listOffsets: kafka.listOffsetsV5.api.async,
    produce: kafka.produceV7.api.async,
    fetch: kafka.fetchV12.api.async,
    deleteRecords: kafka.deleteRecordsV2.api.async,
  };
}

/** The requests that can be sent. None of them is ever retried by the client. */
export type Protocol = Awaited<ReturnType<typeof loadProtocol>>;

/** A connection to one broker. */
export type BrokerConnection = Kafka.Connection;

/** A broker's answer about the cluster. */
export type Metadata = Awaited<ReturnType<Protocol['metadata']>>;

/**
 * Records that a producer sent together: only one each if no other producer writes to the topic.
 */
export type RecordsBatch = Kafka.RecordsBatch;

/** No broker gave a useful answer, or the client library is not installed. */
export class KafkaUnavailable extends Error {
  override readonly name = 'KafkaUnavailable';
}

/** Codes of the errors that get specific handling (kafka.apache.org/protocol, "Error Codes"). */
export const errorCodes = {
  offsetOutOfRange: 1,
  unknownTopic: 3,
  topicAuthorizationFailed: 29,
  topicExists: 36,
} as const;

/** The error code of a broker's answer; null if the broker did not answer. */
export function errorCodeOf(error: unknown): number | null {
  if (!(error instanceof AggregateError)) return null;
  const [first] = error.errors;
  return typeof first?.apiCode === 'number' ? first.apiCode : null;
}

/** Formats an error as one line, with its causes and the broker's own message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  const own = 'serverErrorMessage' in error ? error.serverErrorMessage : null;
  const inner = causes.filter((cause) => cause instanceof Error).map(reasonOf);
  return [error.message, ...(typeof own === 'string' ? [own] : []), ...inner].join(' ');
}
