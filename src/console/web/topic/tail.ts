/** The records of a topic while they come: the latest of them, and how many a second. */
import { useEffect, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { eventsOf, type ServerEvent } from '../api/events.ts';
import { isPassing } from '../api/queries.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { after, now } from '../time/clock.ts';

/** A record as a stream of `/tail` gives it. */
export interface TailRecord {
  readonly partition: number;
  readonly offset: number;
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly key: string;
  /** null = a tombstone. */
  readonly value: string | null;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** What `useTail` gives; it changes a few times a second at most, however many come. */
export interface Tail {
  /** The latest ones, newest first; at most `recordsMax`. */
  readonly records: readonly TailRecord[];
  /** All that came. */
  readonly seen: number;
  readonly perSecond: number;
  /** Why it ended; null = it goes on. */
  readonly error: Error | null;
}

const recordsMax = 1000;
/** So often what came is drawn, however fast it comes. */
const drawMs = 250;
const againMs = 2000;
const nothing: Tail = { records: [], seen: 0, perSecond: 0, error: null };

/** Follows a topic, from where the filters say; while it is held, what comes is not asked for. */
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

/** The stream itself said why it ends: damaged records, or a topic that was deleted. */
class TailError extends Error {}

/** One stream and what it has brought; it begins again behind its last event where it is cut. */
class Following {
  private readonly ending = new AbortController();
  private records: readonly TailRecord[] = [];
  private fresh: TailRecord[] = [];
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
        // A server that is gone comes again; what it has refused it refuses again.
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
    this.fresh.push(JSON.parse(data));
    this.seen += 1;
    if (this.fresh.length > recordsMax) this.fresh = this.fresh.slice(-recordsMax);
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
    this.records = [...this.fresh.toReversed(), ...this.records].slice(0, recordsMax);
    this.fresh = [];
    this.draw({ records: this.records, seen: this.seen, perSecond, error: this.error });
  }
}
