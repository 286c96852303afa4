/**
 * A journal of delivered messages made by the real engine, and beside it the same messages as the
 * bare listing reads them: one line of a fixed width each, so that a message's place is known.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageTerms } from '../../src/messaging/messages/recorded-events.js';
import { openMessageEngine } from '../load/message-engine.js';
import { deliveryOf, messageId, publishOf } from '../load/message-events.js';
import { openFolder } from './stored-folder.js';

/** Where the bare listing finds its messages, and how wide a line is. */
export const bareMessages = 'bare-messages';
export const lineBytes = 512;

/** How many messages share a label, a schedule, a destination. */
export const sharing = { label: 100, schedule: 1000, url: 10_000 } as const;

/** Small turns, so that batches are as small as those of publishes one by one. */
const turnCommands = 16;
const bodyBytes = 64;

/** What message `number` of `total` is published with. */
export function propertiesOf(number: number, total: number) {
  const group = (size: number) => number % Math.max(1, Math.floor(total / size));
  return {
    label: `customer-${group(sharing.label)}`,
    scheduleId: `schedule-${group(sharing.schedule)}`,
    url: `http://127.0.0.1:8080/orders/${group(sharing.url)}`,
  };
}

/** Publishes and delivers messages until there are about `events` events, a millisecond apart. */
export async function buildLogJournal(directory: string, events: number): Promise<void> {
  const store = await openFolder(join(directory, 'data'));
  const { engine } = await openMessageEngine(store);
  const file = await open(join(directory, bareMessages), 'wx');
  const total = Math.ceil(events / 2);
  // Behind everything that the engine itself dates.
  const begin = Date.now();
  const body = Buffer.alloc(bodyBytes, 'x');
  for (let first = 0; first < total; first += turnCommands) {
    const numbers = Array.from(
      { length: Math.min(turnCommands, total - first) },
      (_, index) => first + index,
    );
    const publishes = numbers.map((number) => {
      const at = begin + number;
      const { label, url, scheduleId } = propertiesOf(number, total);
      const publish = publishOf({ number, url, body, at, notBefore: at + 24 * 3600 * 1000 });
      return { ...publish, message: { ...publish.message, labels: [label], scheduleId } };
    });
    await engine.dispatch(publishes);
    await engine.dispatch(
      publishes.map(({ message, at }, index) =>
        deliveryOf(first + index, at, messageTerms(message)),
      ),
    );
    const lines = publishes.map(({ id, at, message }) =>
      JSON.stringify({ id, at, url: message.url, labels: message.labels, body: 'x'.repeat(88) })
        .padEnd(lineBytes - 1)
        .concat('\n'),
    );
    await file.write(lines.join(''));
  }
  await file.close();
  engine.effects.stop();
  await store.close();
}

/** The id of a message by its number. */
export const idOf = messageId;
