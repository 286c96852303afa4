/**
 * The records of a topic, live: the latest ones, or a page of those from a place on; and how many
 * arrive per second.
 */
import { useEffect, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { eventsOf, type ServerEvent } from '../api/events.ts';
import { isPassing } from '../api/queries.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { after, now } from '../time/clock.ts';
import { FirstRecords, type KeptRecords, NewestRecords, type TailRecord } from './kept-records.ts';

/**
 * The result of `useTail`; it changes at most a few times a second, however many records arrive.
 */
interface Tail {
  /** The latest records, newest first; or, from a place on, the first ones, oldest first. */
  readonly records: readonly TailRecord[];
  /** Whether the server sends records now. */
  readonly isOpen: boolean;
  /** Whether the page has all the records that it can show, and has ended the stream. */
  readonly isFull: boolean;
  /** How many records have arrived. */
  readonly seen: number;
  readonly perSecond: number;
  /** Why the stream ended; null if it has not. */
  readonly error: Error | null;
  /** The place behind the last record, where the stream can continue. */
  readonly lastId: string | null;
}

/** How often arrived records are rendered, however fast they arrive. */
const drawMs = 250;
const againMs = 2000;
const nothing: Tail = {
  records: [],
  isOpen: false,
  isFull: false,
  seen: 0,
  perSecond: 0,
  error: null,
  lastId: null,
};

/**
 * Follows a topic from where the filters say; while `isHeld`, no records are requested. `next`
 * shows the records behind those of a full page, in each partition.
 */
export function useTail(topic: string, filters: ChosenFilters, isHeld: boolean) {
  const [tail, setTail] = useState(nothing);
  const [begin, setBegin] = useState<{ path: string; id: string | null }>({ path: '', id: null });
  const path = pathOf(topic, filters);
  // Other filters begin at their own first record.
  const beginId = begin.path === path ? begin.id : null;
  const isFromPlace = !fromOf(filters).startsWith('newest');
  useEffect(() => {
    if (isHeld) return undefined;
    setTail(nothing);
    const records = isFromPlace ? new FirstRecords() : new NewestRecords();
    const following = new Following(path, records, beginId, setTail);
    following.run();
    return () => following.stop();
  }, [path, isFromPlace, beginId, isHeld]);
  return { ...tail, next: () => setBegin({ path, id: tail.lastId }) };
}

const fromOf = ({ from = 'newest-50' }: ChosenFilters): string => from;

function pathOf(topic: string, filters: ChosenFilters): string {
  const { partition, key, contains } = filters;
  const query = new URLSearchParams({ from: fromOf(filters) });
  for (const [name, value] of Object.entries({ partition, key, contains })) {
    if (value !== undefined) query.set(name, value);
  }
  return `/tail/${encodeURIComponent(topic)}?${query}`;
}

/** The stream itself said why it ends: damaged records, or a deleted topic. */
class TailError extends Error {}

/** One stream and its records; if it is cut, it is opened again after its last event. */
class Following {
  private readonly ending = new AbortController();
  private isOpen = false;
  private seen = 0;
  private drawnAt = now();
  private drawn = 0;
  private error: Error | null = null;

  constructor(
    private readonly path: string,
    private readonly records: KeptRecords,
    private lastId: string | null,
    private readonly draw: (tail: Tail) => void,
  ) {}

  async run(): Promise<void> {
    const { signal } = this.ending;
    this.drawLater();
    while (!signal.aborted && this.error === null) {
      try {
        const begun = () => {
          this.isOpen = true;
        };
        for await (const event of eventsOf(this.path, signal, this.lastId, begun)) {
          // What has arrived with the last record of a full page belongs to the next page.
          if (!signal.aborted) this.take(event);
        }
      } catch (error) {
        // A server that is gone may return, but a refusal would be repeated.
        const isRefusal = error instanceof ApiError || error instanceof TailError;
        if (isRefusal && !isPassing(error) && !signal.aborted) this.error = error;
      }
      this.isOpen = false;
      if (this.error === null) await new Promise<void>((resolve) => after(againMs, resolve));
    }
  }

  stop(): void {
    this.ending.abort();
  }

  private take({ id, name, data }: ServerEvent): void {
    if (name === 'error') throw new TailError(JSON.parse(data).error ?? 'the stream has ended');
    this.lastId = id ?? this.lastId;
    if (data === '') return;
    this.records.add(JSON.parse(data));
    this.seen += 1;
    if (!this.records.isFull) return;
    this.isOpen = false;
    this.flush();
    this.stop();
  }

  private drawLater(): void {
    after(drawMs, () => {
      if (this.ending.signal.aborted) return;
      this.flush();
      if (this.error === null) this.drawLater();
    });
  }

  private flush(): void {
    const seconds = (now() - this.drawnAt) / 1000;
    const came = this.seen - this.drawn;
    const perSecond = seconds <= 0 ? 0 : Math.round(came / seconds);
    this.drawnAt = now();
    this.drawn = this.seen;
    const { isOpen, seen, error, lastId } = this;
    const { shown: records, isFull } = this.records;
    this.draw({ records, isOpen, isFull, seen, perSecond, error, lastId });
  }
}
