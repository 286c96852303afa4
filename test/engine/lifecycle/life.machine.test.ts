import { createActor } from 'xstate';
import { type LifeEvent, lifeMachine } from '../../../src/engine/lifecycle/life.machine.js';

const listening: LifeEvent = { type: 'listening' };
const recovered: LifeEvent = { type: 'recovered' };
const writesRefused: LifeEvent = { type: 'writesRefused', reason: 'no room' };
const writesAccepted: LifeEvent = { type: 'writesAccepted' };
const stop: LifeEvent = { type: 'stop', reason: 'SIGTERM' };
const closed: LifeEvent = { type: 'closed' };
const all = [listening, recovered, writesRefused, writesAccepted, stop, closed];

/** How each state is reached, and where each event leads from it; all others change nothing. */
const table: [string, LifeEvent[], Partial<Record<LifeEvent['type'], string>>][] = [
  ['starting', [], { listening: 'recovering', stop: 'draining' }],
  ['recovering', [listening], { recovered: 'serving', stop: 'draining' }],
  ['serving', [listening, recovered], { writesRefused: 'readOnly', stop: 'draining' }],
  [
    'readOnly',
    [listening, recovered, writesRefused],
    { writesAccepted: 'serving', stop: 'draining' },
  ],
  ['draining', [stop], { closed: 'stopped' }],
  ['stopped', [stop, closed], {}],
];

function lifeAfter(events: readonly LifeEvent[]) {
  const actor = createActor(lifeMachine).start();
  for (const event of events) actor.send(event);
  return actor.getSnapshot();
}

describe.each(table)('%s', (state, events, leads) => {
  test('is reached', () => {
    expect(lifeAfter(events).value).toBe(state);
  });

  test.each(all.map((event) => [event.type, event] as const))('knows %s', (type, event) => {
    expect(lifeAfter([...events, event]).value).toBe(leads[type] ?? state);
  });
});

test('only a process that serves has no reason', () => {
  for (const [state, events] of table) {
    expect([state, lifeAfter(events).context.reason === null]).toEqual([
      state,
      state === 'serving',
    ]);
  }
});

test('the first reason to stop stays', () => {
  expect(lifeAfter([stop, { type: 'stop', reason: 'SIGINT' }]).context.reason).toBe('SIGTERM');
});
