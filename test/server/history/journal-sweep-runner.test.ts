import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Command } from '../../../src/engine/decider.js';
import { JournalSweepMetrics } from '../../../src/engine/history/journal-sweep.metrics.js';
import { ProcessLife } from '../../../src/engine/lifecycle/process-life.js';
import type { Fold } from '../../../src/engine/registration.js';
import type { Placed } from '../../../src/engine/turn-changes.js';
import { JournalSweepRunner } from '../../../src/server/history/journal-sweep-runner.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { countedNames } from '../../support/deciders/histories.js';
import { ManualClock } from '../../support/manual-clock.js';
import { type Noted, noteDecider } from '../../support/notes.js';
import { openSwept, type SweptEngine } from '../../support/swept-history.js';

const minuteMs = 60_000;
const retentionMs = 10 * minuteMs;

let clock: ManualClock;
let swept: SweptEngine;
let runner: JournalSweepRunner;

function startRunner(journalRetention: 'sweep' | 'forever'): void {
  const metrics = new JournalSweepMetrics(new Registry());
  const log = pino({ level: 'silent' });
  const life = new ProcessLife(clock, log);
  const config = { logRetentionMs: retentionMs, journalRetention };
  runner = new JournalSweepRunner(swept.sweeper, life, metrics, config, clock, log);
  runner.start();
}

beforeEach(async () => {
  clock = new ManualClock();
  swept = await openSwept(
    new SimulatedDisk(),
    (engine) => void engine.register({ decider: noteDecider, view: null, folds: [] }),
    countedNames(),
  );
  startRunner('sweep');
});

afterEach(() => runner.stop());

/** Writes notes that are crossed out at once, in small segments: all can be swept. */
async function writeNotes(name: string): Promise<void> {
  for (let number = 0; number < 20; number += 1) {
    const note = { kind: 'note', id: `${name}${number}`, at: clock.now(), about: [] };
    await swept.engine.dispatch([{ ...note, type: 'Note' }]);
    await swept.engine.dispatch([{ ...note, type: 'CrossOut' }]);
    if (number % 5 === 4) await swept.roll();
  }
}

/** Lets time pass, one check of the runner at a time, until `isDone`. */
async function timePasses(isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    clock.advance(minuteMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the check whether to sweep the journal', () => {
  it('reads the clocks during a sweep, so that slow drift is no leap', async () => {
    let isBegun = false;
    let proceed = () => {};
    const mayContinue = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const sweepBegins = () => {
      isBegun = true;
      return mayContinue;
    };
    swept.sweeper.guard = { sweepBegins, sweepEnded: () => undefined };
    await writeNotes('first');
    await timePasses(() => isBegun);
    for (let minute = 0; minute < 5; minute += 1) {
      clock.set(clock.now() + 40_000);
      clock.advance(minuteMs);
    }
    proceed();
    await timePasses(() => swept.sweeps.until > 0);

    const { until } = swept.sweeps;
    await writeNotes('second');
    const hourLater = clock.monotonic() + 60 * minuteMs;
    await timePasses(() => swept.sweeps.until > until);
    expect(clock.monotonic()).toBeLessThan(hourLater);
  });

  it('sweeps nothing if the clock has leapt, until it is trusted an hour later', async () => {
    await writeNotes('only');
    const began = clock.monotonic();
    clock.set(clock.now() + retentionMs * 2);
    await timePasses(() => swept.sweeps.until > 0);
    expect(clock.monotonic()).toBeGreaterThan(began + 60 * minuteMs);
  });

  it('pauses after a sweep that failed, for longer than it took', async () => {
    let begun = 0;
    let fail = (_: Error) => {};
    const sweepBegins = () => {
      begun += 1;
      return new Promise<void>((_, reject) => {
        fail = reject;
      });
    };
    swept.sweeper.guard = { sweepBegins, sweepEnded: () => undefined };
    await writeNotes('only');
    await timePasses(() => begun === 1);
    const failedAt = clock.monotonic() + minuteMs;
    clock.advance(minuteMs);
    fail(new Error('no archive'));
    await timePasses(() => begun === 2);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(failedAt + 10 * minuteMs);
    expect(clock.monotonic()).toBeLessThan(failedAt + 13 * minuteMs);
    fail(new Error('no archive'));
  });

  it('sweeps events that follow a moment in which the clock was ahead', async () => {
    await writeNotes('before');
    const ahead = clock.now() + 365 * 24 * 60 * minuteMs;
    await swept.engine.dispatch([
      { type: 'Note', kind: 'note', id: 'ahead', at: ahead, about: [] } as Command,
    ]);
    await writeNotes('after');
    const { endOffset } = swept.journal;
    await writeNotes('last');
    await timePasses(() => swept.sweeps.until >= endOffset);
    expect(swept.engine.actors('note').has('ahead')).toBe(true);
  });

  it('makes indexes forget even if all events are kept, and removes none', async () => {
    await runner.stop();
    const notes = new Map<string, Placed>();
    const fold: Fold<Noted> = {
      memory: {
        name: 'notes',
        maps: { notes },
        inOrder: [notes],
        expiring: [{ map: notes, isOver: () => true }],
      },
      evolve: ({ id, offset }, changes) => changes.set(notes, id, { offset }),
    };
    swept = await openSwept(
      new SimulatedDisk(),
      (engine) => void engine.register({ decider: noteDecider, view: null, folds: [fold] }),
      countedNames(),
    );
    await writeNotes('only');
    expect(notes.size).toBe(20);
    startRunner('forever');
    await timePasses(() => notes.size === 0);
    expect(swept.sweeps).toMatchObject({ until: 0, edge: 0 });
    // All of the events, and one that records the edge.
    let left = 0;
    for await (const turn of swept.journal.replay()) left += turn.length;
    expect(left).toBe(41);
  });
});
