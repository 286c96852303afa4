/** The requests of Kafka's protocol that the log needs, as a client encodes them (ADR 68). */
import type * as Kafka from '@platformatic/kafka';

/**
 * Loads the client; only where it is asked for. Each request has one version, which brokers from
 * 2.8 to 4 know, so that none has to be asked what it knows.
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

/** What is sent. Nothing in it sends a request twice. */
export type Protocol = Awaited<ReturnType<typeof loadProtocol>>;

/** A connection to one broker. */
export type BrokerConnection = Kafka.Connection;

/** What a broker answers about the cluster. */
export type Metadata = Awaited<ReturnType<Protocol['metadata']>>;

/** Records as a producer has sent them together: one here, where no other producer writes. */
export type RecordsBatch = Kafka.RecordsBatch;

/** No broker that was asked has given an answer that helps, or there is no client to ask one. */
export class KafkaUnavailable extends Error {
  override readonly name = 'KafkaUnavailable';
}

/** Codes of errors that are handled by themselves (kafka.apache.org/protocol, "Error Codes"). */
export const errorCodes = {
  offsetOutOfRange: 1,
  unknownTopic: 3,
  topicAuthorizationFailed: 29,
  topicExists: 36,
} as const;

/** The code that a broker has answered with; null where it has not answered. */
export function errorCodeOf(error: unknown): number | null {
  if (!(error instanceof AggregateError)) return null;
  const [first] = error.errors;
  return typeof first?.apiCode === 'number' ? first.apiCode : null;
}

/** An error in one line, with what has caused it and the broker's own words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  const own = 'serverErrorMessage' in error ? error.serverErrorMessage : null;
  const inner = causes.filter((cause) => cause instanceof Error).map(reasonOf);
  return [error.message, ...(typeof own === 'string' ? [own] : []), ...inner].join(' ');
}
