/**
 * Requests as Debian's librdkafka answers them in its mock brokers: it knows Metadata to version 2
 * and Fetch to 11, where the product sends 9 and 12, and gives no time to what is produced.
 */
import {
  createAPI,
  produceV7,
  Reader,
  ResponseError,
  readRecordsBatches,
  Writer,
} from '@platformatic/kafka';
import type { Protocol } from '../../../src/cluster/kafka/protocol.js';

type Codes = Record<string, [number, null]>;
const noteError = (errors: Codes, path: string, code: number) => {
  if (code !== 0) errors[path] = [code, null];
  return code;
};
const refuse = (errors: Codes, key: number, version: number, response: object) => {
  if (Object.keys(errors).length > 0) throw new ResponseError(key, version, errors, response);
};

/**
 * kafka.apache.org/protocol, "Metadata Request (Version: 2)": this version has no leader epochs.
 */
export const metadata = createAPI<
  [topics: string[] | null],
  Awaited<ReturnType<Protocol['metadata']>>
>(
  3,
  2,
  (topics: string[]) =>
    Writer.create().appendArray(topics, (w, name) => w.appendString(name, false), false, false),
  (_id, key, version, reader) => {
    const errors: Codes = {};
    const list = <Item>(read: () => Item) => reader.readArray(read, false, false);
    const brokers = list(() => ({
      nodeId: reader.readInt32(),
      host: reader.readString(false),
      port: reader.readInt32(),
      rack: reader.readNullableString(false),
    }));
    const clusterId = reader.readNullableString(false);
    const controllerId = reader.readInt32();
    const topics = list(() => {
      const errorCode = reader.readInt16();
      const name = reader.readString(false);
      noteError(errors, name, errorCode);
      const isInternal = reader.readBoolean();
      const partitions = list(() => ({
        errorCode: noteError(errors, `${name}/partition`, reader.readInt16()),
        partitionIndex: reader.readInt32(),
        leaderId: reader.readInt32(),
        leaderEpoch: -1,
        replicaNodes: list(() => reader.readInt32()),
        isrNodes: list(() => reader.readInt32()),
        offlineReplicas: [],
      }));
      const topicAuthorizedOperations = 0;
      return { errorCode, name, topicId: name, isInternal, partitions, topicAuthorizedOperations };
    });
    const answer = { throttleTimeMs: 0, brokers, clusterId, controllerId, topics };
    refuse(errors, key, version, answer);
    return answer;
  },
  false,
  false,
);

type FetchWords = Parameters<Protocol['fetch']> extends [unknown, ...infer Rest] ? Rest : never;

/** kafka.apache.org/protocol, "Fetch Request (Version: 11)". */
export const fetch = createAPI<FetchWords, Awaited<ReturnType<Protocol['fetch']>>>(
  1,
  11,
  (waitMs, minBytes, maxBytes, isolation, session, epoch, topics: FetchWords[6]) =>
    Writer.create()
      .appendInt32(-1)
      .appendInt32(waitMs)
      .appendInt32(minBytes)
      .appendInt32(maxBytes)
      .appendInt8(isolation)
      .appendInt32(session)
      .appendInt32(epoch)
      .appendArray(
        topics,
        (w, { topicId, partitions }) =>
          w
            .appendString(topicId, false)
            .appendArray(
              partitions,
              (each, asked) =>
                each
                  .appendInt32(asked.partition)
                  .appendInt32(asked.currentLeaderEpoch)
                  .appendInt64(asked.fetchOffset)
                  .appendInt64(-1n)
                  .appendInt32(asked.partitionMaxBytes),
              false,
              false,
            ),
        false,
        false,
      )
      .appendArray([], () => {}, false, false)
      .appendString('', false),
  (_id, key, version, reader) => {
    const errors: Codes = {};
    const list = <Item>(read: () => Item) => reader.readArray(read, false, false);
    const throttleTimeMs = reader.readInt32();
    const errorCode = noteError(errors, '/', reader.readInt16());
    const sessionId = reader.readInt32();
    const responses = list(() => ({
      topicId: reader.readString(false),
      partitions: list(() => {
        const partition = {
          partitionIndex: reader.readInt32(),
          errorCode: noteError(errors, 'partition', reader.readInt16()),
          highWatermark: reader.readInt64(),
          lastStableOffset: reader.readInt64(),
          logStartOffset: reader.readInt64(),
          abortedTransactions: list(() => ({
            producerId: reader.readInt64(),
            firstOffset: reader.readInt64(),
          })),
          preferredReadReplica: reader.readInt32(),
        };
        const records = readRecordsBatches(Reader.from(reader.readBytes(false)));
        return { ...partition, records };
      }),
    }));
    const answer = { throttleTimeMs, errorCode, sessionId, responses };
    refuse(errors, key, version, answer);
    return answer;
  },
  false,
  false,
);

/** Mock brokers keep the time of the producer, and answer that they took each record at 1234. */
export const produce: Protocol['produce'] = async (...words) => {
  const answer = await produceV7.api.async(...words);
  if (typeof answer === 'boolean') return answer;
  for (const { partitionResponses } of answer.responses) {
    for (const stored of partitionResponses) stored.logAppendTimeMs = -1n;
  }
  return answer;
};
