import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { Journal } from '../../../src/engine/journal.js';
import { DamageNotes } from '../../../src/engine/reading/damage-notes.js';
import { JournalAroundDamage } from '../../../src/engine/reading/journal-around-damage.js';
import { history, live } from '../../messaging/logs/log-history.js';
import { open } from '../../messaging/logs/log-source.js';
import { openEngine } from '../../support/engine.js';
import { envelope } from '../../support/envelope.js';
import { flipByte } from '../../support/program/flipped-byte.js';

const runs = 30 * Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 1);

async function offsetsOf(events: AsyncIterable<EventEnvelope | null>): Promise<number[]> {
  const offsets: number[] = [];
  for await (const envelope of events) if (envelope !== null) offsets.push(envelope.offset);
  return offsets;
}

/** Each offset of the journal with the result of reading it alone. */
async function readAlone(journal: Journal) {
  const read: { readonly offset: number; readonly is: string }[] = [];
  for (let offset = journal.startOffset; offset < journal.highWatermark; offset += 1) {
    const is = await journal.read(offset).then(
      (envelope) => (envelope === null ? 'none' : 'event'),
      () => 'damaged',
    );
    read.push({ offset, is });
  }
  return read;
}

/** The files of a journal, oldest first. */
async function logFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  const found = names.filter((name) => /logs.*\.log$/.test(name)).sort();
  return found.map((name) => join(directory, name));
}

/** Flips bytes of records, at fractions of the files' written parts. */
async function damage(directory: string, places: readonly number[]): Promise<void> {
  const files = await logFiles(directory);
  for (const place of places) {
    const path = files[Math.floor(place * files.length)] ?? '';
    const bytes = await readFile(path);
    const written = bytes.findLastIndex((byte) => byte !== 0);
    // The segment's header comes before the first batch.
    const from = 64;
    if (written > from) {
      await flipByte(path, from + Math.floor(((place * 7919) % 1) * (written - from)));
    }
  }
}

const shares = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it('a listing reads all that is intact, in either order, and names what is not', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(shares, { minLength: 0, maxLength: 3 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      async (steps, places, picks) => {
        const opened = await open();
        try {
          await live(opened.engine, steps);
          await opened.engine.durable();
          await damage(opened.directory, places);
          const { journal } = opened;
          const alone = await readAlone(journal);
          const intact = alone.filter(({ is }) => is === 'event').map(({ offset }) => offset);
          const isDamaged = alone.some(({ is }) => is === 'damaged');
          const all = { terms: [], from: 0, until: journal.highWatermark };
          for (const order of ['oldest', 'newest'] as const) {
            const notes = new DamageNotes();
            const around = new JournalAroundDamage(journal, notes);
            const found = await offsetsOf(around.query({ ...all, order }));
            expect(found).toEqual(order === 'oldest' ? intact : intact.toReversed());
            expect(notes.all.length > 0).toBe(isDamaged);
          }
          const asked = picks.flatMap((pick) => alone[pick % alone.length] ?? []);
          const notes = new DamageNotes();
          const each = new JournalAroundDamage(journal, notes);
          const read: (number | null)[] = [];
          for await (const envelope of each.readEach(asked.map(({ offset }) => offset))) {
            read.push(envelope?.offset ?? null);
          }
          expect(read).toEqual(asked.map(({ offset, is }) => (is === 'event' ? offset : null)));
          expect(notes.all.length > 0).toBe(asked.some(({ is }) => is === 'damaged'));
        } finally {
          await opened.close();
          await rm(dirname(opened.directory), { recursive: true });
        }
      },
    ),
    { numRuns: runs },
  );
}, 120_000);

it('an error that is not damage is not skipped', async () => {
  const opened = await open();
  await opened.close();
  const notes = new DamageNotes();
  const around = new JournalAroundDamage(opened.journal, notes);
  await expect(around.read(opened.journal.highWatermark + 1)).rejects.toThrow('is outside');
  expect(notes.all).toEqual([]);
  await rm(dirname(opened.directory), { recursive: true });
});

describe('behind an event that was swept', () => {
  const event = { type: 'Happened' };
  /** The index has an entry for each, so that a read of one does not touch the next. */
  const body = Buffer.alloc(20_000, 'x');

  /** A journal of the events 1 to 4, without 2, in which 3 is damaged. */
  async function sweptBeforeDamage() {
    const opened = await openEngine(() => undefined);
    const { log, journal, codec, directory } = opened;
    codec.encode(envelope(event), []);
    await log.append([codec.define(0, (shapes) => shapes)]).durable;
    for (const offset of [1, 2, 3, 4]) {
      await log.append([codec.encode(envelope(event, { offset, body }), [])]).durable;
    }
    await journal.seal();
    const keeps = (offset: number) => offset !== 2;
    await journal.sweep(5, keeps, () => Promise.resolve());
    // The rewritten segment has the latest number.
    const file = (await logFiles(directory)).at(-1) ?? '';
    await flipByte(file, 30_000);
    return opened;
  }

  it('damage is not reported for the event itself', async () => {
    const { journal, close } = await sweptBeforeDamage();
    const notes = new DamageNotes();
    const around = new JournalAroundDamage(journal, notes);
    expect(await around.read(2)).toBeNull();
    expect(notes.all).toEqual([]);
    expect(await around.read(3)).toBeNull();
    expect(notes.all).toHaveLength(1);
    await close();
  });

  it('damage is reported only for requested events, of those read together', async () => {
    const { journal, close } = await sweptBeforeDamage();
    const notes = new DamageNotes();
    const around = new JournalAroundDamage(journal, notes);
    expect(await offsetsOf(around.readEach([1, 2, 4]))).toEqual([1, 4]);
    expect(notes.all).toEqual([]);
    await close();
  });
});
