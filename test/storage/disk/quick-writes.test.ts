import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuickWrites, type WritingMachine } from '../../../storage/disk/quick-writes.js';

let directory: string;
let path: string;
let file: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stepwell-quick-writes-'));
  path = join(directory, 'file');
  writeFileSync(path, '');
  file = openSync(path, 'r+');
});

afterEach(async () => {
  closeSync(file);
  await rm(directory, { recursive: true });
});

/** Writes the real file; the test decides how long each write takes by the test's clock. */
class QuietMachine implements WritingMachine {
  readonly writeSync = (...args: Parameters<WritingMachine['writeSync']>): number => {
    this.time += this.writeMs;
    return writeSync(...args);
  };
  time = 1000;
  idle = 0;
  writeMs = 0.1;
  now = () => this.time;
  idleMs = () => this.idle;
}

describe('quick writes', () => {
  let machine: QuietMachine;
  let writes: QuickWrites;

  beforeEach(() => {
    machine = new QuietMachine();
    writes = new QuickWrites(machine);
  });

  /** One write, after the loop has slept for this long; true = it was made here. */
  function write(idleMs = 0.1, length = 4): boolean {
    machine.idle += idleMs;
    machine.time += idleMs;
    const isHere = writes.write(file, Buffer.alloc(length), 0) !== null;
    writes.ended(length);
    return isHere;
  }

  const some = (count: number, idleMs?: number, length?: number) =>
    Array.from({ length: count }, () => write(idleMs, length));

  /** Makes lone writes, for each of which only its own caller waits. */
  function alone(count = 20): void {
    some(count);
    expect(write()).toBe(true);
  }

  it('write the given bytes at their place, and return how much that is', () => {
    alone();
    machine.idle += 1;
    expect(writes.write(file, Buffer.from('some bytes'), 3)).toBe(10);
    expect(readFileSync(path, 'latin1').slice(3)).toBe('some bytes');
  });

  it('throw like the disk', () => {
    alone();
    machine.idle += 1;
    expect(() => writes.write(-1, Buffer.alloc(4), 0)).toThrow();
  });

  it('begin after a few writes between which the loop slept', () => {
    expect(some(6)).toEqual([false, false, false, true, true, true]);
  });

  it('leave a write to the pool if the loop did not sleep before it', () => {
    alone();
    expect([write(0), write(), write()]).toEqual([false, true, true]);
  });

  it('leave all to the pool while every second one has company', () => {
    const made = Array.from({ length: 40 }, (_, index) => write(index % 2 === 0 ? 0.1 : 0));
    expect(made).not.toContain(true);
    alone();
  });

  it('leave groups to the pool, and the write after each', () => {
    alone();
    expect(write(0.1, 8 * 1024)).toBe(true);
    expect(write(0.1, 8 * 1024 + 1)).toBe(false);
    expect(write()).toBe(false);
    alone();
  });

  it('leave all to the pool for a while after a slow one, and longer if it is slow again', () => {
    alone();
    const pauses: number[] = [];
    machine.writeMs = 1;
    for (let slow = 0; slow < 12; slow += 1) {
      const begun = machine.time;
      while (!write(1));
      pauses.push(Math.round(machine.time - machine.writeMs - begun));
    }
    expect(pauses).toEqual([1, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3200, 3200]);
    // Quick again for longer than that.
    machine.writeMs = 0.1;
    while (!write(1));
    some(3200, 1);
    machine.writeMs = 1;
    expect(write(1)).toBe(true);
    machine.writeMs = 0.1;
    const begun = machine.time;
    while (!write(1));
    expect(Math.round(machine.time - begun)).toBe(10);
  });
});
