/**
 * The id of a streamed record: the reader's position in every partition of which it has received
 * more than it has acknowledged. Pure.
 *
 *     rides/0/12,rides/2/7     everything of rides/0 below 12, and of rides/2 below 7
 */
import { ok, type Result, refused } from '../../grammar/result.js';
import type { JsonPieces } from '../records/json-pieces.js';
import type { TopicPosition } from '../records/topic-partition.js';
import type { OwnedPartition, Positions } from '../sessions/positions.js';

const place = String.raw`[A-Za-z0-9._-]{1,249}/\d{1,9}/\d{1,15}`;
const grammar = new RegExp(`^${place}(,${place})*$`);

/**
 * Writes the id of the record before offset `next`, which must be one that `idsOf` was called for.
 */
export type WriteId = (json: JsonPieces, next: number) => void;

/** Ids of the records of one stream, in the order in which they are sent. */
export class StreamCursor {
  private readonly reached = new Map<OwnedPartition, number>();

  constructor(private readonly positions: Positions) {}

  /**
   * Makes a writer of ids for the records of `own` before `end`, which are sent next without others
   * in between: their ids differ in only one number.
   */
  idsOf(own: OwnedPartition, end: number): WriteId {
    this.reached.set(own, end);
    const before: string[] = [];
    const after: string[] = [];
    let side = before;
    for (const [each, offset] of this.reached) {
      const isOpen = offset > each.acknowledged && this.positions.owns(each);
      if (!isOpen) this.reached.delete(each);
      if (each === own) side = after;
      else if (isOpen) side.push(`${each.topic}/${each.partition}/${offset}`);
    }
    const others = Buffer.from([...before, ...after].join(','));
    const first = Buffer.from([...before, `${own.topic}/${own.partition}/`].join(','));
    const rest = Buffer.from(['', ...after].join(','));
    const known = this.reached.has(own) ? own.acknowledged : Number.POSITIVE_INFINITY;
    return (json, next) => {
      if (next <= known) {
        json.write(others);
        return;
      }
      json.write(first);
      json.writeNumber(next);
      json.write(rest);
    };
  }
}

/**
 * Parses the positions that a reader reports (`Last-Event-ID`); an absent header gives an empty
 * list.
 */
export function parseCursor(text: string | undefined): Result<readonly TopicPosition[]> {
  if (text === undefined || text === '') return ok([]);
  if (!grammar.test(text)) return refused('the header Last-Event-ID is not the id of a record');
  return ok(
    text.split(',').map((each) => {
      const [topic = '', partition, offset] = each.split('/');
      return { topic, partition: Number(partition), offset: Number(offset) };
    }),
  );
}
