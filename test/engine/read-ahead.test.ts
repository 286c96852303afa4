import fc from 'fast-check';
import type { EventEnvelope } from '../../src/engine/decider.js';
import { eventsAt, mappedAhead, SpanLength, spansOf } from '../../src/engine/read-ahead.js';
import { envelope } from '../support/envelope.js';

/** The spans of these offsets if every offset brings this many bytes. */
async function spans(offsets: readonly number[], bytesEach = 0): Promise<number[][]> {
  const length = new SpanLength();
  const list: number[][] = [];
  for await (const span of spansOf(offsets, length)) {
    list.push(span);
    length.learn(span.length, span.length * bytesEach);
  }
  return list;
}

describe('spans of offsets', () => {
  it('hold all offsets in their order, near ones together, and grow from one to 64', async () => {
    const offsets = fc.array(fc.nat({ max: 2000 }), { maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(offsets, async (given) => {
        const found = await spans(given);
        expect(found.flat()).toEqual(given);
        for (const [index, span] of found.entries()) {
          expect(span.length).toBeGreaterThan(0);
          expect(span.length).toBeLessThanOrEqual(Math.min(2 ** index, 64));
          for (const [place, offset] of span.entries()) {
            if (place > 0) expect(Math.abs(offset - (span[place - 1] ?? 0))).toBeLessThan(33);
          }
        }
      }),
    );
  });

  it('are few if offsets lie close together', async () => {
    const offsets = Array.from({ length: 1000 }, (_, index) => index * 2);
    expect((await spans(offsets)).length).toBeLessThan(1000 / 64 + 8);
  });

  it.each([
    [20_000, 52],
    [200_000, 5],
    [2_000_000, 1],
  ])('that bring %d bytes each are no more than a mebibyte: %d of them', async (bytes, longest) => {
    const offsets = Array.from({ length: 500 }, (_, index) => index);
    const lengths = (await spans(offsets, bytes)).map(({ length }) => length);
    expect(Math.max(...lengths)).toBe(longest);
  });

  it('become short again after a read that has brought much', () => {
    const length = new SpanLength();
    for (let read = 0; read < 10; read += 1) length.learn(64, 64);
    expect(length.max).toBe(64);
    length.learn(64, 64 * 1024 * 1024);
    expect(length.max).toBe(1);
  });
});

describe('things made ahead', () => {
  /** Makes numbers from numbers, each when the test allows it, and counts those begun. */
  class Maker {
    readonly begun: number[] = [];
    private readonly doors: (() => void)[] = [];

    make = async (item: number) => {
      this.begun.push(item);
      await new Promise<void>((resolve) => this.doors.push(resolve));
      return item * 10;
    };

    open(): void {
      for (const door of this.doors.splice(0)) door();
    }
  }

  const items = Array.from({ length: 20 }, (_, index) => index);
  const tick = () => new Promise((resolve) => setImmediate(resolve));

  async function taken(maker: Maker, reader: AsyncGenerator<number>) {
    const next = reader.next();
    await tick();
    maker.open();
    return (await next).value as number;
  }

  it('are made one at a time at first, and more at once the more are taken', async () => {
    const maker = new Maker();
    const reader = mappedAhead(items, maker.make, { widthMax: 4, isLarge: () => false });
    const begun: number[] = [];
    for (const item of items) {
      expect(await taken(maker, reader)).toBe(item * 10);
      begun.push(maker.begun.length - item);
    }
    expect(begun.slice(0, 5)).toEqual([1, 2, 4, 4, 4]);
    expect((await reader.next()).done).toBe(true);
  });

  it('are made one at a time after a large one', async () => {
    const maker = new Maker();
    const reader = mappedAhead(items, maker.make, { widthMax: 4, isLarge: () => true });
    for (const item of items) {
      expect(await taken(maker, reader)).toBe(item * 10);
      expect(maker.begun.length).toBe(item + 1);
    }
  });

  it('are not made while several from before a large one are not taken', async () => {
    const maker = new Maker();
    const isLarge = (result: number) => result >= 50;
    const reader = mappedAhead(items, maker.make, { widthMax: 4, isLarge });
    const begun: number[] = [];
    for (const item of items) {
      expect(await taken(maker, reader)).toBe(item * 10);
      begun.push(maker.begun.length - item);
    }
    expect(begun.slice(0, 12)).toEqual([1, 2, 4, 4, 4, 4, 3, 2, 1, 1, 1, 1]);
  });

  it('fail in their turn', async () => {
    const make = async (item: number) => {
      if (item === 5) throw new Error('five');
      return item;
    };
    const seen: number[] = [];
    const read = async () => {
      for await (const item of mappedAhead(items, make, { widthMax: 8, isLarge: () => false })) {
        seen.push(item);
      }
    };
    await expect(read()).rejects.toThrow('five');
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('events at offsets', () => {
  const mebibyte = 1024 * 1024;

  /** The reads for 1,000 events in batches of this many records and bytes. */
  async function bytesRead(recordCount: number, byteLength: number): Promise<number> {
    let bytes = 0;
    const source = {
      recent: () => undefined,
      read: async (offset: number, until: number) => {
        bytes += byteLength;
        const end = (Math.floor(offset / recordCount) + 1) * recordCount;
        const content = { header: { recordCount } };
        const record = (asked: number) => asked;
        return [{ nextOffset: Math.min(end, until), byteLength, content, record }];
      },
      eventIn: (offset: number | null): EventEnvelope => ({
        ...envelope({ type: 'Happened' }),
        offset: offset ?? -1,
      }),
    };
    const offsets = Array.from({ length: 1000 }, (_, index) => index);
    const found: number[] = [];
    for await (const event of eventsAt(offsets, source, 1)) found.push(event?.offset ?? -1);
    expect(found).toEqual(offsets);
    return bytes;
  }

  it('that share a large batch are read together', async () => {
    expect(await bytesRead(1000, 2 * mebibyte)).toBeLessThan(24 * 2 * mebibyte);
    expect(await bytesRead(100, 100 * 1024)).toBeLessThan(60 * 100 * 1024);
  });

  it.each([
    ['forwards', (one: number, other: number) => one - other],
    ['backwards', (one: number, other: number) => other - one],
  ])('that are large are in memory one after the other when read %s', async (_, order) => {
    const length = 20;
    let held = 0;
    let heldMax = 0;
    const source = {
      recent: () => undefined,
      read: async (offset: number) => {
        // The first events are small, so that many are read at once.
        const byteLength = offset % 100 < 80 ? 100 : length * mebibyte;
        held += byteLength;
        heldMax = Math.max(heldMax, held);
        const content = { header: { recordCount: 1 } };
        return [{ nextOffset: offset + 1, byteLength, content, record: () => offset }];
      },
      eventIn: (offset: number | null): EventEnvelope => ({
        ...envelope({ type: 'Happened' }),
        offset: offset ?? -1,
      }),
    };
    const offsets = Array.from({ length: 300 }, (__, index) => index).sort(order);
    const found: number[] = [];
    for await (const event of eventsAt(offsets, source, 64)) {
      found.push(event?.offset ?? -1);
      held = 0;
    }
    expect(found).toEqual(offsets);
    // Spans that are read at the same time may meet a large event each.
    expect(heldMax).toBeLessThan(5 * length * mebibyte);
  });

  it('that fill a batch each are read once', async () => {
    expect(await bytesRead(1, 2 * mebibyte)).toBe(1000 * 2 * mebibyte);
  });
});
