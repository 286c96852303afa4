/**
 * Data folders with very many messages in them, written by the real engine and journal in this
 * process: a server that is asked for each of them takes minutes.
 */
import { systemClock } from '../../src/engine/clock.js';
import { openFolder } from '../measure/stored-folder.js';
import { openMessageEngine } from './message-engine.js';
import { deliveryOf, publishOf } from './message-events.js';

const body = Buffer.alloc(1024, 'x');
const hourMs = 3_600_000;
const turnCommands = 128;

export interface WrittenMessages {
  /** The number of the first, which its id has: no two of a folder are the same. */
  readonly first: number;
  readonly count: number;
  /** Whether they have arrived, by a second event; if not they are due in an hour. */
  readonly areDelivered: boolean;
}

/** Writes messages of 1 KiB behind what is in the folder, and closes it. */
export async function writeMessages(data: string, written: WrittenMessages): Promise<void> {
  const { first, count, areDelivered } = written;
  const store = await openFolder(data);
  const { engine, journal } = await openMessageEngine(store);
  await journal.learnShapes();
  const at = systemClock.now();
  const message = { url: 'https://example.com/', body, at, notBefore: at + hourMs };
  for (let done = 0; done < count; done += turnCommands) {
    const length = Math.min(turnCommands, count - done);
    const numbers = Array.from({ length }, (_, index) => first + done + index);
    await engine.dispatch(numbers.map((number) => publishOf({ ...message, number })));
    if (areDelivered) await engine.dispatch(numbers.map((number) => deliveryOf(number, at)));
  }
  engine.effects.stop();
  await store.close();
}
