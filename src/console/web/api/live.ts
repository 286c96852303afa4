/**
 * Follows what happens on the server, live (messaging.md 12): an event reloads everything shown of
 * its kind. While the stream is cut, lists are reloaded at intervals instead.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { after } from '../time/clock.ts';
import { eventsOf } from './events.ts';
import { noteRefusal, setLive } from './queries.ts';
import { refresh } from './refresh.ts';

const againMs = 2000;
/** The shortest interval between reloads of a kind; the first event reloads at once. */
const settleMs = 400;

/** Follows the server as long as the component is mounted. */
export function useLive(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const ending = new AbortController();
    follow(queries, ending.signal);
    return () => ending.abort();
  }, [queries]);
}

async function follow(queries: QueryClient, signal: AbortSignal): Promise<void> {
  const kinds = new Invalidation(queries);
  let lastId: string | null = null;
  while (!signal.aborted) {
    try {
      const begun = () => setLive(queries, true);
      for await (const { id, name, data } of eventsOf('/v2/live', signal, lastId, begun)) {
        lastId = id ?? lastId;
        if (data !== '') kinds.take(name, JSON.parse(data));
      }
    } catch (error) {
      // The loop retries; a banner reports that the server is gone.
      noteRefusal(queries, error);
    }
    setLive(queries, false);
    await new Promise<void>((resolve) => after(againMs, resolve));
  }
}

/** The fields of an event that are used here. */
interface LiveNews {
  readonly kind?: string;
  /** A message or a run has failed, and is a dead letter now. */
  readonly dlqId?: string;
  readonly counts?: Readonly<Record<string, number>>;
}

/** Collects the kinds that have changed, and reloads them together. */
class Invalidation {
  private readonly waiting = new Set<string>();
  private isSettling = false;

  constructor(private readonly queries: QueryClient) {}

  take(name: string, { kind, dlqId, counts }: LiveNews): void {
    if (name === 'reload') {
      refresh(this.queries);
      return;
    }
    const kinds = [kind ?? [], Object.keys(counts ?? {})].flat();
    // Counts do not say how many of the messages and runs have failed.
    const mayBeLetters = dlqId !== undefined || counts !== undefined;
    for (const each of mayBeLetters ? [...kinds, 'dlq'] : kinds) this.waiting.add(each);
    if (!this.isSettling) this.ask();
  }

  private ask(): void {
    for (const kind of this.waiting) refresh(this.queries, kind);
    this.waiting.clear();
    this.isSettling = true;
    after(settleMs, () => {
      this.isSettling = false;
      if (this.waiting.size > 0) this.ask();
    });
  }
}
