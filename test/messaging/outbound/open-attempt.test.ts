import fc from 'fast-check';
import { ByteBudget } from '../../../src/http/bytes/byte-budget.js';
import { AnswerRoom } from '../../../src/messaging/outbound/answer-room.js';
import type { AttemptOutcome } from '../../../src/messaging/outbound/attempt-outcome.js';
import { OpenAttempt } from '../../../src/messaging/outbound/open-attempt.js';
import { ManualClock } from '../../support/manual-clock.js';

/** An answered attempt, and its outcome. */
function answered(captureBytes: number) {
  const ended: AttemptOutcome[] = [];
  const own = { timeoutMs: 1000, captureBytes };
  const room = new AnswerRoom(new ByteBudget(1024 * 1024), 'http://a.example/');
  const end = (outcome: AttemptOutcome) => void ended.push(outcome);
  const attempt = new OpenAttempt(own, new ManualClock(), room, end);
  attempt.answered(200, []);
  return { attempt, ended };
}

describe('an attempt that is answered', () => {
  it('keeps the beginning of the body, in whatever pieces it arrives', () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, fc.nat(200), (list, captureBytes) => {
        const { attempt, ended } = answered(captureBytes);
        const memory = Buffer.alloc(40);
        for (const piece of list) {
          // Like a connection, which reads everything into the same memory.
          memory.set(piece);
          attempt.data(memory.subarray(0, piece.length));
        }
        attempt.complete();
        const whole = Buffer.concat(list);
        const bodyTruncated = whole.length > captureBytes;
        const body = whole.subarray(0, captureBytes);
        expect(ended).toEqual([expect.objectContaining({ status: 200, body, bodyTruncated })]);
      }),
    );
  });

  it('keeps hardly more memory than the length of a body sent byte by byte', () => {
    const bytes = 512 * 1024;
    const { attempt, ended } = answered(bytes);
    const piece = Buffer.from('x');
    const before = process.memoryUsage().heapUsed;
    for (let sent = 0; sent < bytes; sent += 1) attempt.data(piece);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * bytes);
    attempt.complete();
    expect(ended[0]?.body.equals(Buffer.alloc(bytes, 'x'))).toBe(true);
  });
});
