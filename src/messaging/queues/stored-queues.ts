/** The queues and their entries at one moment, in parts, as there may be very many entries. */
import type { IndexParts } from '../../engine/registration.js';
import type { PreImages } from '../../engine/resting/pre-images.js';
import type { QueueSettings } from './queue.events.js';
import type { QueueEntry } from './queue-entry.js';
import type { QueueOrder } from './queue-order.js';

type StoredOrder = readonly [
  name: string,
  exists: boolean,
  settings: QueueSettings,
  lastPlace: number,
];

/** An entry, stored as a list without field names: there may be as many entries as messages. */
export type StoredEntry = readonly [
  messageId: string,
  queueName: string,
  joinsAt: number,
  offset: number,
  place: number,
  isFinal: boolean,
];

/** An open callback: its own message id, and that of its entry. */
type StoredCallback = readonly [messageId: string, entryId: string];

/** One part of the snapshot. Orders come before entries, and entries before callbacks. */
export type StoredQueuesPart =
  | { readonly orders: readonly StoredOrder[] }
  | { readonly entries: readonly StoredEntry[] }
  | { readonly callbacks: readonly StoredCallback[] };

/** The form in which snapshots store an entry. */
export function storedEntry(entry: QueueEntry): StoredEntry {
  const { messageId, queueName, joinsAt, offset, place, isFinal } = entry;
  return [messageId, queueName, joinsAt, offset, place, isFinal];
}

/** How many entries or callbacks form one part. */
const itemsOfPart = 1024;

/** Makes its parts once, while the queues keep changing; `end` releases what was kept for that. */
export class QueuesCut implements IndexParts<StoredQueuesPart> {
  private readonly orders: readonly StoredOrder[];

  /** Cuts the queues as they are now: changes from now on are noted in `images`. */
  constructor(
    orders: Iterable<QueueOrder>,
    private readonly entries: ReadonlyMap<string, QueueEntry | StoredEntry>,
    private readonly callbacks: ReadonlyMap<string, QueueEntry | string>,
    private readonly images: PreImages,
  ) {
    this.orders = [...orders].map(({ name, exists, settings, lastPlace }) => {
      const { parallelism, isPaused } = settings;
      return [name, exists, { parallelism, isPaused }, lastPlace];
    });
    images.begin();
  }

  *parts(): Generator<StoredQueuesPart> {
    yield { orders: this.orders };
    for (const entries of partsOf(this.storedEntries())) yield { entries };
    for (const callbacks of partsOf(this.storedCallbacks())) yield { callbacks };
  }

  end(): void {
    this.images.end();
  }

  private *storedEntries(): Generator<StoredEntry> {
    const lastPlaces = new Map(this.orders.map(([name, , , lastPlace]) => [name, lastPlace]));
    for (const [, entry] of this.images.pass(this.entries)) {
      const stored = 'messageId' in entry ? storedEntry(entry) : entry;
      const [messageId, queueName, joinsAt, offset, place, isFinal] = stored;
      // An entry with a later place has joined since the cut.
      const hadJoined = place <= (lastPlaces.get(queueName) ?? 0);
      yield hadJoined ? stored : [messageId, queueName, joinsAt, offset, 0, isFinal];
    }
  }

  private *storedCallbacks(): Generator<StoredCallback> {
    for (const [messageId, source] of this.images.pass(this.callbacks)) {
      yield [messageId, typeof source === 'string' ? source : source.messageId];
    }
  }
}

function* partsOf<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < itemsOfPart) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
