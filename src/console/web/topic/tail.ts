/** The records of a topic, live: the latest ones, and how many arrive per second. */
import { useEffect, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { eventsOf, type ServerEvent } from '../api/events.ts';
import { isPassing } from '../api/queries.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { after, now } from '../time/clock.ts';
import { NewestRecords, type TailRecord } from './newest-records.ts';

/**
 * The result of `useTail`; it changes at most a few times a second, however many records arrive.
 */
export interface Tail {
  /** The latest records, newest first; see `NewestRecords`. */
  readonly records: readonly TailRecord[];
  /** How many records have arrived. */
  readonly seen: number;
  readonly perSecond: number;
  /** Why the stream ended; null if it has not. */
  readonly error: Error | null;
}

/** How often arrived records are rendered, however fast they arrive. */
const drawMs = 250;
const againMs = 2000;
const nothing: Tail = { records: [], seen: 0, perSecond: 0, error: null };

/** Follows a topic from where the filters say; while `isHeld`, no records are requested. */
export function useTail(topic: string, filters: ChosenFilters, isHeld: boolean): Tail {
  const [tail, setTail] = useState(nothing);
  const { from = 'newest-50', partition, key, contains } = filters;
  useEffect(() => {
    if (isHeld) return undefined;
    const query = new URLSearchParams({ from });
    for (const [name, value] of Object.entries({ partition, key, contains })) {
      if (value !== undefined) query.set(name, value);
    }
    setTail(nothing);
    const following = new Following(`/tail/${encodeURIComponent(topic)}?${query}`, setTail);
    following.run();
    return () => following.stop();
  }, [topic, from, partition, key, contains, isHeld]);
  return tail;
}

/** The stream itself said why it ends: damaged records, or a deleted topic. */
class TailError extends Error {}

/** One stream and its records; if it is cut, it is opened again after its last event. */
class Following {
  private readonly ending = new AbortController();
  private readonly records = new NewestRecords();
  private seen = 0;
  private drawnAt = now();
  private drawn = 0;
  private lastId: string | null = null;
  private error: Error | null = null;

  constructor(
    private readonly path: string,
    private readonly draw: (tail: Tail) => void,
  ) {}

  async run(): Promise<void> {
    const { signal } = this.ending;
    this.drawLater();
    while (!signal.aborted && this.error === null) {
      try {
        for await (const event of eventsOf(this.path, signal, this.lastId)) this.take(event);
      } catch (error) {
        // A server that is gone may return, but a refusal would be repeated.
        const isRefusal = error instanceof ApiError || error instanceof TailError;
        if (isRefusal && !isPassing(error) && !signal.aborted) this.error = error;
      }
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
    const { newestFirst: records } = this.records;
    this.draw({ records, seen: this.seen, perSecond, error: this.error });
  }
}
