import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuickReads, type ReadingMachine } from '../../../storage/disk/quick-reads.js';

let directory: string;
let file: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stepwell-quick-reads-'));
  const path = join(directory, 'file');
  writeFileSync(path, 'some bytes');
  file = openSync(path, 'r');
});

afterAll(async () => {
  closeSync(file);
  await rm(directory, { recursive: true });
});

/** Reads the real file; the test decides how long each read takes by the test's clock. */
class SlowMachine implements ReadingMachine {
  readonly readSync = (...args: Parameters<ReadingMachine['readSync']>): number => {
    this.time += this.readMs;
    return readSync(...args);
  };
  time = 1000;
  readMs = 0;
  blocks = 0;
  now = () => this.time;
  blocksRead = () => this.blocks;

  /** The next read waits for the disk. */
  wait(): void {
    this.readMs = 1;
    this.blocks += 8;
  }
}

describe('quick reads', () => {
  let machine: SlowMachine;
  let reads: QuickReads;
  const ask = (length = 4) => reads.read(file, Buffer.alloc(length), 0) !== null;

  beforeEach(() => {
    machine = new SlowMachine();
    reads = new QuickReads(machine);
  });

  /** How long, in milliseconds, the pool makes all reads after one that was made here. */
  function pause(): number {
    const from = machine.time;
    machine.readMs = 0;
    while (!ask()) machine.time += 1;
    return machine.time - from;
  }

  it('fill the given buffer, and return how much that is', () => {
    const target = Buffer.alloc(20);
    expect(reads.read(file, target, 5)).toBe(5);
    expect(target.toString('latin1', 0, 5)).toBe('bytes');
    expect(reads.read(file, target, 10)).toBe(0);
  });

  it('throw like the disk', () => {
    expect(() => reads.read(-1, Buffer.alloc(4), 0)).toThrow();
  });

  it('leave every ninth one to the pool, so that the event loop continues', () => {
    const made = Array.from({ length: 27 }, () => ask());
    expect(made.filter((isMade) => !isMade)).toHaveLength(3);
    expect(made.lastIndexOf(false)).toBe(26);
  });

  it('leave long ones to the pool', () => {
    expect(ask(64 * 1024)).toBe(true);
    expect(ask(64 * 1024 + 1)).toBe(false);
  });

  it('leave all to the pool for a while after one that has waited for the disk', () => {
    machine.wait();
    expect(ask()).toBe(true);
    expect(pause()).toBe(50);
  });

  it('pause for longer if the first one after a pause waits, too, up to seconds', () => {
    const pauses: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      machine.wait();
      while (!ask()) machine.time += 1;
      const from = machine.time;
      machine.readMs = 0;
      // At the very end of the pause, so that the next one waits again.
      while (machine.time < from + 50 * 2 ** Math.min(round, 6)) {
        expect(ask()).toBe(false);
        machine.time += 1;
      }
      pauses.push(machine.time - from);
    }
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 3200, 3200, 3200]);
  });

  it('pause briefly again if all was well for as long as they had paused', () => {
    for (const well of [0, 200]) {
      machine.time += well;
      machine.wait();
      expect(ask()).toBe(true);
      expect(pause()).toBe(50);
    }
  });

  it('do not pause if the processor was taken, and no block was read', () => {
    machine.readMs = 2;
    expect([ask(), ask()]).toEqual([true, true]);
  });

  it('pause after a very long read in any case', () => {
    machine.readMs = 3;
    expect(ask()).toBe(true);
    expect(pause()).toBe(50);
  });
});
