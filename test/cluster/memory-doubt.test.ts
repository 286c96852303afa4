import { Writable } from 'node:stream';
import { pino } from 'pino';
import { MemoryDoubt } from '../../src/server/cluster/memory-doubt.js';

it('a node whose memory differs leaves the log to others, and takes it only if none does', () => {
  const lines: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  const doubt = new MemoryDoubt(pino(stream));
  expect(doubt.mayClaim(0)).toBe(true);
  doubt.compared(false);
  expect(doubt.mayClaim(14_999)).toBe(false);
  expect(lines).toEqual([]);
  expect(doubt.mayClaim(15_000)).toBe(true);
  expect(doubt.mayClaim(15_100)).toBe(true);
  expect(lines).toHaveLength(1);
  doubt.compared(true);
  expect(doubt.mayClaim(0)).toBe(true);
});
