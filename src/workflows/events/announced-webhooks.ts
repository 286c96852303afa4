/**
 * Finds the webhooks that a run has announced. The result of each `CreateWebhook` step names one
 * webhook. Results are read from the journal and cached.
 */
import { Inject, Injectable } from '@nestjs/common';
import { lastUsed } from '../../grammar/collections.js';
import { fieldsOf, parseJson } from '../../grammar/json.js';
import { RunArchive } from '../deliveries/run-archive.js';
import { announcesWebhook } from '../run-state/known-steps.js';
import type { RunContext } from '../run-state/run.context.js';

/** Number of cached names, of the webhooks that were called last. */
const namesMax = 10_000;

/** Caches the names of a bounded number of steps; results never change. */
@Injectable()
export class AnnouncedWebhooks {
  /** The event id that the step at a journal offset announced; empty = none. */
  private readonly names = lastUsed<number, string>(namesMax);

  constructor(@Inject(RunArchive) private readonly archive: Pick<RunArchive, 'eventAt'>) {}

  /** Whether a step of the run announced a webhook with this event id, which is never empty. */
  async has({ entries }: RunContext, eventId: string): Promise<boolean> {
    if (eventId === '') return false;
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries.at(index);
      if (entry === undefined || !announcesWebhook(entry.step)) continue;
      if ((await this.nameAt(entry.offset)) === eventId) return true;
    }
    return false;
  }

  private async nameAt(offset: number): Promise<string> {
    const known = this.names.get(offset);
    if (known !== undefined) return known;
    const { body } = await this.archive.eventAt(offset);
    const name = announcedIn(body);
    this.names.set(offset, name);
    return name;
  }
}

/** The event id in the JSON of a step, whose `out` is itself JSON in a string; empty = none. */
function announcedIn(body: Buffer | null): string {
  const out = fieldOf(body ?? Buffer.alloc(0), 'out');
  const eventId = typeof out === 'string' ? fieldOf(Buffer.from(out), 'eventId') : null;
  return typeof eventId === 'string' ? eventId : '';
}

function fieldOf(text: Buffer, name: string): unknown {
  const json = parseJson(text);
  return json.ok ? fieldsOf(json.value)[name] : null;
}
