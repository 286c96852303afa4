/**
 * The id of a streamed record: how far its reader is in every partition of which it has more than
 * it has acknowledged. Pure.
 *
 *     rides/0/12,rides/2/7     all of rides/0 below 12, and all of rides/2 below 7
 */
import { type Parsed, parsed, refused } from '../http/parsed.js';
import type { OwnedPartition, Positions } from './positions.js';
import type { TopicPosition } from './topic-partition.js';

const place = String.raw`[A-Za-z0-9._-]{1,249}/\d{1,9}/\d{1,15}`;
const grammar = new RegExp(`^${place}(,${place})*$`);

/** Ids of the records of one stream, in the order in which they are sent. */
export class StreamCursor {
  private readonly reached = new Map<OwnedPartition, number>();

  constructor(private readonly positions: Positions) {}

  /** The id of the record before `next` of `own`. */
  idAt(own: OwnedPartition, next: number): string {
    this.reached.set(own, next);
    const places: string[] = [];
    for (const [each, offset] of this.reached) {
      const isOpen = offset > each.acknowledged && this.positions.owns(each);
      if (isOpen) places.push(`${each.topic}/${each.partition}/${offset}`);
      else this.reached.delete(each);
    }
    return places.join(',');
  }
}

/** What a reader says that it has (`Last-Event-ID`); none is an empty list. */
export function parseCursor(text: string | undefined): Parsed<readonly TopicPosition[]> {
  if (text === undefined || text === '') return parsed([]);
  if (!grammar.test(text)) return refused('the header Last-Event-ID is no id of a record');
  return parsed(
    text.split(',').map((each) => {
      const [topic = '', partition, offset] = each.split('/');
      return { topic, partition: Number(partition), offset: Number(offset) };
    }),
  );
}
