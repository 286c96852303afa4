/** Finds the place of the spans of a message in a trace: derived from the journal each time. */
import { Inject, Injectable } from '@nestjs/common';
import { traceIn } from '../../grammar/trace-context.js';
import type { Published, RunPlace } from '../messages/message.events.js';
import { RunDeliveries } from '../messages/run-deliveries.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { ownTraceId, publishSpanId, runSpanId, type TracePlace } from './span.js';

/** The places of a run and of its parts, from the headers that it was started with. */
export function runPlace(
  { runId, startedOffset }: Pick<RunPlace, 'runId' | 'startedOffset'>,
  starterHeaders: readonly string[],
): { readonly run: TracePlace; readonly parts: TracePlace } {
  const brought = traceIn(starterHeaders);
  const traceId = brought?.traceId ?? ownTraceId(`${runId}/${startedOffset}`);
  const flags = brought?.flags ?? null;
  const parentId = brought?.parentId ?? null;
  return {
    run: { traceId, parentId, flags },
    parts: { traceId, parentId: runSpanId(runId, startedOffset), flags },
  };
}

/** Used only if spans are made. It keeps nothing, so a restart changes no place. */
@Injectable()
export class MessagePlaces {
  constructor(
    @Inject(StoredMessages) private readonly stored: Pick<StoredMessages, 'published'>,
    private readonly runs: RunDeliveries,
  ) {}

  /**
   * The place of the publish. A step of a run belongs to the run, whatever its headers say; a
   * callback belongs to the message that it reports on.
   */
  async ofPublish(published: Published): Promise<TracePlace> {
    const { id, event } = published;
    const { headers, callbackOf, run } = event;
    const brought = run?.role === 'step' ? null : traceIn(headers);
    if (brought !== null) return brought;
    if (run !== null) return runPlace(run, await this.runs.starterHeaders(published)).parts;
    if (callbackOf !== null) {
      const source = await this.stored.published(callbackOf.publishedOffset);
      const { traceId, flags } = await this.ofPublish(source);
      return { traceId, flags, parentId: publishSpanId(source.id) };
    }
    return { traceId: ownTraceId(id), parentId: null, flags: null };
  }

  /** The place of the attempts. For messages of runs, the publish has no span of its own. */
  async ofAttempts(published: Published): Promise<TracePlace> {
    const place = await this.ofPublish(published);
    if (published.event.run !== null) return place;
    const { traceId, flags } = place;
    return { traceId, flags, parentId: publishSpanId(published.id) };
  }
}
