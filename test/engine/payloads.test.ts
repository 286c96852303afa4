import type { EventEnvelope } from '../../src/engine/decider.js';
import type { Journal } from '../../src/engine/journal.js';
import { Payloads } from '../../src/engine/payloads.js';

const journal = {} as Journal;

function envelopeWith(body: Buffer): EventEnvelope {
  const stream = { kind: 'message', id: 'msg_1', sequence: 0, previous: -1 };
  return { ...stream, at: 1, offset: 7, by: null, event: { type: 'MessagePublished' }, body };
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

  it('is not copied where it is all of its memory', () => {
    const payloads = new Payloads(journal, 1_000_000);
    const envelope = envelopeWith(Buffer.alloc(100_000));
    payloads.remember(envelope);
    expect(payloads.read(7)).toBe(envelope);
  });
});
