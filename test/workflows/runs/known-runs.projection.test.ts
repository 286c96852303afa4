import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { type KnownRun, KnownRuns } from '../../../src/workflows/runs/known-runs.projection.js';
import { envelope } from '../../support/envelope.js';
import { forget } from '../../support/swept-history.js';
import { runStarted } from '../../support/workflows/run-commands.js';

const minute = 60_000;

/** An index together with active runs, as their states describe them. */
class Runs {
  readonly active = new Map<string, KnownRun>();
  readonly known = new KnownRuns((id) => this.active.get(id));
  private offset = 0;

  start(id: string, at: number, changes = new TurnChanges()): void {
    this.fold(id, at, runStarted({ messageId: `msg_${id}` }), changes);
    this.active.set(id, { messageId: `msg_${id}`, createdAt: at });
  }

  end(id: string, at: number, changes = new TurnChanges()): void {
    this.fold(id, at, { type: 'RunCanceled' } as RunEvent, changes);
    this.active.delete(id);
  }

  private fold(id: string, at: number, event: RunEvent, changes: TurnChanges): void {
    const place = { kind: runKind, id, at, offset: this.offset };
    this.offset += 1;
    this.known.evolve(envelope<RunEvent>(event, place), changes);
  }

  get remembered(): readonly string[] {
    return Object.values(this.known.memory.maps).flatMap((map) => [...map.keys()].map(String));
  }
}

describe('runs that were started recently and have ended', () => {
  it('are known for ten minutes from their start', () => {
    const runs = new Runs();
    runs.start('wfr_1', 0);
    expect(runs.known.find('wfr_1', 1)).toBeUndefined();
    runs.end('wfr_1', minute);
    const run = { messageId: 'msg_wfr_1', createdAt: 0 };
    expect(runs.known.find('wfr_1', 10 * minute - 1)).toEqual(run);
    expect(runs.known.find('wfr_1', 10 * minute)).toBeUndefined();
    expect(runs.known.find('wfr_2', 0)).toBeUndefined();
  });

  it('take no memory while they are active, or if they were active for longer', () => {
    const runs = new Runs();
    runs.start('wfr_1', 0);
    expect(runs.remembered).toEqual([]);
    runs.end('wfr_1', 10 * minute);
    expect(runs.remembered).toEqual([]);
  });

  it('are all forgotten when their time is over', () => {
    const runs = new Runs();
    const names = Array.from({ length: 20 }, (_, index) => `wfr_${index}`);
    for (const id of names) runs.start(id, 0);
    for (const id of names) runs.end(id, minute);
    runs.start('wfr_young', minute);
    runs.end('wfr_young', 2 * minute);
    forget(runs.known.memory, 10 * minute - 1);
    expect(runs.remembered).toEqual([...names, 'wfr_young']);
    forget(runs.known.memory, 10 * minute);
    expect(runs.remembered).toEqual(['wfr_young']);
  });

  it('stay known if the clock was ahead for a moment; runs started in that moment do not', () => {
    const runs = new Runs();
    runs.start('wfr_1', 0);
    runs.end('wfr_1', minute);
    const ahead = 365 * 24 * 60 * minute;
    runs.start('wfr_ahead', ahead);
    runs.end('wfr_ahead', ahead);
    expect(runs.known.find('wfr_1', 2 * minute)).toEqual({ messageId: 'msg_wfr_1', createdAt: 0 });
    expect(runs.known.find('wfr_ahead', 2 * minute)).toBeUndefined();
    forget(runs.known.memory, 2 * minute);
    expect(runs.remembered).toEqual(['wfr_1']);
  });

  it('are as before, in the same order, when the turn is rolled back', () => {
    const runs = new Runs();
    for (const id of ['wfr_1', 'wfr_2', 'wfr_3']) runs.start(id, 0);
    // The runs end in another order than they started.
    for (const id of ['wfr_2', 'wfr_3', 'wfr_1']) runs.end(id, minute);
    const changes = new TurnChanges();
    runs.start('wfr_3', 2 * minute, changes);
    expect(runs.remembered).toEqual(['wfr_2', 'wfr_1']);
    changes.revert();
    expect(runs.remembered).toEqual(['wfr_2', 'wfr_3', 'wfr_1']);
    expect(runs.known.find('wfr_3', minute)).toEqual({ messageId: 'msg_wfr_3', createdAt: 0 });
  });
});
