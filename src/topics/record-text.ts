/** A record as every interface shows it: the Message of the log protocol, 1.2. */
import type { LogRecord } from '../../storage/record.js';

/** Where the record stands. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
}

/** JSON text: no key is "", no value is null, no field is left out. */
export function recordText(record: LogRecord, { topic, partition }: RecordPlace): string {
  const { offset, timestamp, key, value, headers } = record;
  return JSON.stringify({
    topic,
    partition,
    offset,
    timestamp,
    key: key?.toString() ?? '',
    value: value?.toString() ?? null,
    headers: headers.map((header) => ({
      key: header.name,
      value: header.value?.toString() ?? '',
    })),
  });
}
