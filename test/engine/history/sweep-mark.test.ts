import type { Engine } from '../../../src/engine/engine.js';
import { Crossings } from '../../../src/engine/history/crossings.js';
import { SweepMark } from '../../../src/engine/history/sweep-mark.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { type Note, noteDecider } from '../../support/notes.js';

const at = 1_767_000_000_000;
const edge = 10;

let opened: EngineOnDisk;
let crossings: Crossings;

beforeEach(async () => {
  crossings = new Crossings(edge);
  opened = await openEngine((engine: Engine) => {
    engine.register({ decider: noteDecider, view: null, folds: [] });
    crossings.follow(engine);
  });
});

afterEach(() => opened.close());

const ask = (type: Note['type'], id: string, about: readonly number[] = []) =>
  opened.engine.dispatch([{ type, kind: 'note', id, at, about }]);
const note = (id: string, ...about: number[]) => ask('Note', id, about);
const crossOut = (id: string, ...about: number[]) => ask('CrossOut', id, about);

/** Ended notes of one event each, up to the edge; offset 0 defines the shape of events. */
async function fill(): Promise<void> {
  while (opened.journal.endOffset < edge) await crossOut('filler');
}

/** The offsets below the edge that a sweep leaves. */
async function kept(check?: () => void, sealedUntil = edge): Promise<number[]> {
  await fill();
  await opened.engine.durable();
  const mark = new SweepMark(opened.engine, opened.journal, crossings, edge, sealedUntil);
  await mark.make(at, check);
  return Array.from({ length: edge }, (_, offset) => offset).filter((offset) => mark.keeps(offset));
}

describe('a sweep', () => {
  it('keeps nothing of a stream that has ended', async () => {
    await note('a');
    await crossOut('a');
    expect(await kept()).toEqual([]);
  });

  it('keeps all of a stream that has not ended, and not an earlier one of its name', async () => {
    await note('a');
    await crossOut('a');
    await note('a');
    await crossOut('b');
    await note('a');
    expect(await kept()).toEqual([3, 5]);
  });

  it('keeps a stream that a kept one refers to, and those that it refers to', async () => {
    await note('old');
    await note('later');
    await crossOut('later');
    await crossOut('old', 2);
    await note('alive', 1);
    expect(await kept()).toEqual([1, 2, 3, 4, 5]);
  });

  it('keeps a stream that continues above the edge, or is referred to from there', async () => {
    await note('across');
    await note('body');
    await crossOut('body');
    await note('over');
    await crossOut('over');
    await fill();
    await crossOut('across');
    await crossOut('teller', 2);
    expect(await kept()).toEqual([1, 2, 3]);
  });

  it('keeps everything that events in the segment of the edge need', async () => {
    await note('begun');
    await note('gone');
    await crossOut('gone');
    await note('body');
    await crossOut('body');
    await note('ended', 4);
    await crossOut('begun');
    await crossOut('ended');
    await crossOut('also');
    expect(await kept(undefined, 6)).toEqual([1, 4, 5, 6, 7, 8, 9]);
  });

  it('keeps a stream that takes back a kept one, but none that takes back others', async () => {
    await note('a');
    await crossOut('a');
    await crossOut('taker-2');
    await note('b');
    await crossOut('b');
    await crossOut('taker-5');
    await note('alive', 1);
    expect(await kept()).toEqual([1, 2, 3, 7]);
  });

  it('keeps a stream that goes with a kept stream of this name, not with another one', async () => {
    await note('parent');
    await crossOut('child-parent');
    await crossOut('parent');
    await note('other');
    await crossOut('other');
    await crossOut('child-other');
    await note('alive', 1);
    expect(await kept()).toEqual([1, 2, 3, 7]);
  });

  it('keeps a stream that ends, or is referred to by one that ends, while it decides', async () => {
    await note('body');
    await note('short', 1);
    await crossOut('body');
    let isAsked = false;
    const end = () => {
      if (!isAsked) void crossOut('short');
      isAsked = true;
    };
    expect(await kept(end)).toEqual([1, 2, 3]);
  });
});

describe('a replay of what a sweep has left', () => {
  const event = (id: string, sequence: number, offset: number) => ({
    kind: 'note',
    id,
    sequence,
    at,
    offset,
    previous: -1,
    by: null,
    event: { type: 'Noted', about: [] },
    body: null,
    byteLength: 0,
  });

  it('skips the end of a stream whose beginning is gone', () => {
    opened.engine.replay([event('swept', 3, 50), event('whole', 0, 51)]);
    expect([...opened.engine.actors('note').ids()]).toEqual(['whole']);
  });

  it('refuses an event that does not follow the one before it', () => {
    opened.engine.replay([event('whole', 0, 50)]);
    const replay = () => opened.engine.replay([event('whole', 2, 51)]);
    expect(replay).toThrow(
      'the journal has event 2 of note whole at offset 51, where event 1 must follow',
    );
  });
});
