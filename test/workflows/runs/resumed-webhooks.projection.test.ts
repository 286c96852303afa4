import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { ResumedWebhooks } from '../../../src/workflows/runs/resumed-webhooks.projection.js';
import { envelope } from '../../support/envelope.js';
import { runStarted } from '../../support/workflows/run-commands.js';

let webhooks: ResumedWebhooks;

beforeEach(() => {
  webhooks = new ResumedWebhooks();
});

const happen = (id: string, event: RunEvent, changes = new TurnChanges()) =>
  webhooks.evolve(envelope(event, { kind: runKind, id }), changes);

/** Starts a resumed run that continues the failed runs which announced its webhooks. */
function resume(id: string, announcers: readonly string[], changes?: TurnChanges): void {
  const lists = { entries: [], calls: [], waits: [], notifications: [], invocations: [] };
  const inherited = { runId: 'wfr_failed', ...lists, announcers };
  happen(id, runStarted({ payloadOffset: 0, inherited }), changes);
}

const canceled = { type: 'RunCanceled' } as RunEvent;
const sizes = () => Object.values(webhooks.memory.maps).map(({ size }) => size);

describe('a call of a webhook', () => {
  it('is for the run that announced it, and for those that continue that run', () => {
    resume('wfr_2', ['wfr_0', 'wfr_1']);
    resume('wfr_3', ['wfr_1']);
    expect(webhooks.calledAs('wfr_0')).toEqual(['wfr_0', 'wfr_2']);
    expect(webhooks.calledAs('wfr_1')).toEqual(['wfr_1', 'wfr_2', 'wfr_3']);
    expect(webhooks.calledAs('wfr_2')).toEqual(['wfr_2']);
  });

  it('is for no run that has ended, of which nothing is remembered', () => {
    resume('wfr_2', ['wfr_0', 'wfr_1']);
    resume('wfr_3', ['wfr_1']);
    happen('wfr_2', canceled);
    expect(webhooks.calledAs('wfr_0')).toEqual(['wfr_0']);
    expect(webhooks.calledAs('wfr_1')).toEqual(['wfr_1', 'wfr_3']);
    happen('wfr_3', canceled);
    expect(sizes()).toEqual([0, 0]);
  });

  it('is for no run that was resumed without a webhook', () => {
    resume('wfr_2', []);
    happen('wfr_3', runStarted({ payloadOffset: 0, inherited: null }));
    expect(sizes()).toEqual([0, 0]);
  });

  it('is for the same runs as before when a turn is rolled back', () => {
    resume('wfr_2', ['wfr_0']);
    const changes = new TurnChanges();
    happen('wfr_2', canceled, changes);
    resume('wfr_3', ['wfr_0', 'wfr_1'], changes);
    expect(webhooks.calledAs('wfr_0')).toEqual(['wfr_0', 'wfr_3']);
    changes.revert();
    expect(webhooks.calledAs('wfr_0')).toEqual(['wfr_0', 'wfr_2']);
    expect(sizes()).toEqual([1, 1]);
  });
});
