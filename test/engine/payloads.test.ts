import type { EventEnvelope } from '../../src/engine/decider.js';
import type { Journal } from '../../src/engine/journal.js';
import { Payloads } from '../../src/engine/payloads.js';
import { openEngine } from '../support/engine.js';
import { envelope } from '../support/envelope.js';

const journal = { remembering: () => ({}) as Journal };

function envelopeWith(body: Buffer, offset = 7): EventEnvelope {
  const stream = { kind: 'message', id: 'msg_1', sequence: 0, previous: -1 };
  const { length: byteLength } = body;
  const event = { type: 'MessagePublished' };
  return { ...stream, at: 1, offset, by: null, event, body, byteLength };
}

describe('a body that is kept', () => {
  it('keeps nothing of the batch that it came in', () => {
    const batch = Buffer.alloc(100_000, 'x');
    const payloads = new Payloads(journal, 1_000_000);
    const envelope = envelopeWith(batch.subarray(10, 1000));
    payloads.remember(envelope);
    const kept = payloads.read(7) as EventEnvelope;
    expect(kept).toEqual(envelope);
    expect(kept.body?.buffer.byteLength).toBeLessThan(10_000);
  });

  it('is not copied if it is all of its buffer', () => {
    const payloads = new Payloads(journal, 1_000_000);
    const envelope = envelopeWith(Buffer.alloc(100_000));
    payloads.remember(envelope);
    expect(payloads.read(7)).toBe(envelope);
  });

  it('keeps nothing of the pool of short buffers if it is still there after many others', () => {
    const payloads = new Payloads(journal, 100_000_000);
    const kept = Array.from({ length: 100 }, (_, index) => {
      // Between two of them, the process cuts other buffers from the same pool.
      Buffer.from('x'.repeat(3000));
      return envelopeWith(Buffer.from(`body ${index}`), index);
    });
    for (const envelope of kept) payloads.remember(envelope);
    for (let offset = 100; offset < 2000; offset += 1) {
      payloads.remember(envelopeWith(Buffer.from(`body ${offset}`), offset));
      payloads.forget(offset);
    }
    for (const envelope of kept) expect(payloads.peek(envelope.offset)).toEqual(envelope);
    const held = new Set(kept.map(({ offset }) => payloads.peek(offset)?.body?.buffer));
    const bytes = [...held].reduce((sum, buffer) => sum + (buffer?.byteLength ?? 0), 0);
    expect(bytes).toBeLessThan(10_000);
  });
});

describe('bodies that are read back', () => {
  const count = 200;
  const bodyBytes = 4096;

  it('are those of their events, and one read brings all of a large batch', async () => {
    const { log, journal, codec, close } = await openEngine(() => undefined);
    const event = { type: 'Happened' };
    codec.encode(envelope(event), []);
    await log.append([codec.define(0, (shapes) => shapes)]).durable;
    const first = journal.endOffset;
    const bodyOf = (offset: number) => Buffer.alloc(bodyBytes, String(offset));
    const turn = Array.from({ length: count }, (_, index) => {
      const offset = first + index;
      return codec.encode(envelope(event, { offset, body: bodyOf(offset) }), []);
    });
    await log.append(turn).durable;
    const payloads = new Payloads(journal, 1024);
    const offsets = turn.map((_, index) => first + index);
    const found = await Promise.all(offsets.map((offset) => payloads.read(offset)));
    expect(found.map(({ offset }) => offset)).toEqual(offsets);
    for (const { offset, body } of found) expect(body).toEqual(bodyOf(offset));
    // At the end of the neighbours, it is read again.
    const memory = new Set(found.map(({ body }) => body?.buffer));
    expect(memory.size).toBeLessThanOrEqual(2);
    await close();
  });

  it('are still read after one that is missing', async () => {
    const { log, journal, codec, close } = await openEngine(() => undefined);
    const event = { type: 'Happened' };
    codec.encode(envelope(event), []);
    await log.append([codec.define(0, (shapes) => shapes)]).durable;
    const body = Buffer.from('there');
    await log.append([codec.encode(envelope(event, { offset: 1, body }), [])]).durable;
    const payloads = new Payloads(journal, 1024);
    // The first offset holds a definition.
    const [missing, there] = await Promise.allSettled([payloads.read(0), payloads.read(1)]);
    expect(missing).toMatchObject({ status: 'rejected' });
    expect(there).toMatchObject({ status: 'fulfilled', value: { body } });
    await close();
  });
});
