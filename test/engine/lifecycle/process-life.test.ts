import { pino } from 'pino';
import { systemClock } from '../../../src/engine/clock.js';
import { ProcessLife, type StopPhase } from '../../../src/engine/lifecycle/process-life.js';

const silent = pino({ level: 'silent' });
const never = new Promise<void>(() => undefined);

function newLife(): ProcessLife {
  return new ProcessLife(systemClock, silent);
}

function stoppable(name: string, phase: StopPhase, stop: () => Promise<void> | void) {
  return { name, phase, deadlineMs: 10_000, stop };
}

test('a process starts, recovers in order, serves, drains and stops', async () => {
  const life = newLife();
  const seen = [life.status.state];
  for (const name of ['first', 'second']) {
    life.addRecoverable({
      name,
      recover: async () => {
        seen.push(life.status.state);
      },
      served: () => void seen.push(life.status.state),
    });
  }
  await life.recover();
  expect(life.status).toEqual({ state: 'serving', reason: null });
  life.addStoppable(stoppable('it', 'rest', () => void seen.push(life.status.state)));
  expect(await life.stop('SIGTERM')).toBe(true);
  expect(seen).toEqual(['starting', 'recovering', 'recovering', 'serving', 'serving', 'draining']);
  expect(life.status).toEqual({ state: 'stopped', reason: 'SIGTERM' });
});

test('phases end in their order, and the last added of a phase first', async () => {
  const life = newLife();
  await life.recover();
  const order: string[] = [];
  const add = (name: string, phase: StopPhase) =>
    life.addStoppable(
      stoppable(name, phase, async () => {
        await Promise.resolve();
        order.push(`${name}: ${life.status.state}`);
      }),
    );
  add('store', 'storage');
  add('calls', 'attempts');
  add('listener', 'doors');
  add('later listener', 'doors');
  add('journal', 'commit');
  await life.stop('test');
  expect(order).toEqual([
    'calls: serving',
    'later listener: draining',
    'listener: draining',
    'journal: draining',
    'store: draining',
  ]);
});

test('a part that fails or does not end is reported and does not delay the rest', async () => {
  const life = newLife();
  const order: string[] = [];
  life.addStoppable(
    stoppable('broken', 'doors', () => {
      throw new Error('broken');
    }),
  );
  life.addStoppable({
    name: 'endless',
    phase: 'attempts',
    deadlineMs: 1,
    stop: () => never,
    cut: () => order.push('cut'),
  });
  life.addStoppable(stoppable('store', 'storage', () => void order.push('store')));
  // The clock's timers hold no process open; without this one nothing would be left to wait for.
  const keepAlive = setInterval(() => undefined, 1000);
  expect(await life.stop('test')).toBe(false);
  clearInterval(keepAlive);
  expect(order).toEqual(['cut', 'store']);
});

test('two stops of a process wait for the same end', async () => {
  const life = newLife();
  let stops = 0;
  life.addStoppable(
    stoppable('it', 'doors', () => {
      stops += 1;
    }),
  );
  await Promise.all([life.stop('one'), life.stop('two')]);
  expect([stops, life.status.reason]).toEqual([1, 'one']);
});

test('a process that refuses writes says why, until it accepts them again', async () => {
  const life = newLife();
  await life.recover();
  life.refuseWrites('the disk is full');
  expect(life.status).toEqual({ state: 'readOnly', reason: 'the disk is full' });
  life.acceptWrites();
  expect(life.status).toEqual({ state: 'serving', reason: null });
});

test('a process that could not recover does not serve', async () => {
  const life = newLife();
  life.addRecoverable({ name: 'it', recover: () => Promise.reject(new Error('damaged')) });
  await expect(life.recover()).rejects.toThrow('damaged');
  expect(life.status.state).toBe('recovering');
});

test('a part that ends after it was cut counts as ended well', async () => {
  const life = newLife();
  let end = (): void => undefined;
  life.addStoppable({
    name: 'slow clients',
    phase: 'doors',
    deadlineMs: 1,
    stop: () => new Promise<void>((resolve) => (end = resolve)),
    cut: () => end(),
  });
  const keepAlive = setInterval(() => undefined, 1000);
  expect(await life.stop('test')).toBe(true);
  clearInterval(keepAlive);
});
