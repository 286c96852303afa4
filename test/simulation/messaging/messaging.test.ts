import { isDeepStrictEqual } from 'node:util';
import type { PublishReceipt } from '../../../src/messaging/messages/message.commands.js';
import type { CallbackSource } from '../../../src/messaging/messages/message.events.js';
import { seed as firstSeed } from '../../support/seed.js';
import { SimulatedWorld } from '../simulated-endpoints.js';
import { Simulation } from '../simulation.js';
import { MessagingDice, release } from './messaging-dice.js';
import { fateOf, type MessageHistory, messageHistories } from './messaging-history.js';
import * as rules from './messaging-rules.js';

/** More for longer runs: `SIMULATION_SEEDS=1000 npm run jest -- test/simulation/messaging`. */
const seeds = Number(process.env['SIMULATION_SEEDS'] ?? 2);
const steps = 60;

/** A simulation that has come to rest, and what its journal holds. */
async function simulate(seed: number) {
  const simulation = new Simulation(
    seed,
    (random) => new SimulatedWorld(random),
    (random) => new MessagingDice(random),
  );
  await simulation.run(steps);
  const isAtRest = () => simulation.server.engine.actors('message').size === 0;
  await simulation.comeToRest(release(), isAtRest);
  const histories = await messageHistories(simulation.past);
  return { simulation, histories };
}

type Simulated = Awaited<ReturnType<typeof simulate>>;

/** What came of the days that were simulated alone, by seed: others are compared with them. */
const days = new Map<number, ReturnType<typeof dayOf>>();

function dayOf({ simulation, histories }: Simulated) {
  return structuredClone({
    calls: simulation.world.calls,
    histories: [...histories.values()],
    failures: simulation.server.failures,
  });
}

/** A day alone, simulated now if no test has done so. */
async function dayAlone(seed: number) {
  const day = days.get(seed) ?? dayOf(await simulate(seed));
  days.set(seed, day);
  return day;
}

function publishedOf({ simulation }: Simulated): string[] {
  return simulation.acknowledged
    .filter(({ command }) => command.type === 'PublishMessage')
    .map(({ result }) => (result as PublishReceipt).messageId);
}

const outcomesOf = ({ events }: MessageHistory) =>
  events.flatMap(({ event }) => ('attempt' in event ? [event] : []));

describe('a simulated day of messages', () => {
  const numbers = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  it.each(numbers)(
    'seed %i',
    async (seed) => {
      const simulated = await simulate(seed);
      const { simulation, histories } = simulated;
      days.set(seed, dayOf(simulated));
      expect(simulation.server.failures).toEqual([]);
      nothingIsLost(simulated);
      for (const history of histories.values()) {
        attemptsAreCounted(history);
        callsMatch(simulated, history);
      }
      canceledMeansCanceled(simulated);
      rules.queuesAreNarrow(simulation, histories);
      rules.queuesAreOrdered(simulation, histories);
      rules.pausedMeansPaused(simulation, histories);
      rules.callbacksAreSent(histories);
      await rules.limitsAreKept(simulation, histories);
      await rules.schedulesTriggerOnce(simulation, histories);
      await liveIsReplayed(simulated);
    },
    60_000,
  );

  it(`is the same day again from the same seed, beside other servers (${firstSeed})`, async () => {
    const beside = [firstSeed, firstSeed + 1, firstSeed];
    const together = await Promise.all(beside.map((seed) => simulate(seed)));
    const [first, second] = [await dayAlone(firstSeed), await dayAlone(firstSeed + 1)];
    expect(first.calls.length).toBeGreaterThan(0);
    expect(first.calls).not.toEqual(second.calls);
    expect(isDeepStrictEqual(together.map(dayOf), [first, second, first])).toBe(true);
  }, 120_000);
});

/** accepted = delivered + dead + canceled, and nothing is stuck. */
function nothingIsLost(simulated: Simulated): void {
  const { histories } = simulated;
  for (const id of publishedOf(simulated)) expect([id, histories.has(id)]).toEqual([id, true]);
  const pending = [...histories.values()].filter((history) => fateOf(history) === 'pending');
  expect(pending.map(({ id }) => id)).toEqual([]);
}

function attemptsAreCounted(history: MessageHistory): void {
  const { maxRetries } = history.published.event;
  const attempts = outcomesOf(history);
  expect(attempts.length).toBeLessThanOrEqual(1 + maxRetries);
  expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index));
}

/** Never early, never in another shape, and what is recorded is what happened. */
function callsMatch({ simulation }: Simulated, history: MessageHistory): void {
  const { id, published } = history;
  const calls = simulation.world.calls.filter(({ messageId }) => messageId === id);
  for (const call of calls) {
    expect(call.url).toBe(published.event.url);
    expect(call.startedAt).toBeGreaterThanOrEqual(dueAt(history, call.retried));
    const { callbackOf, scheduleId } = published.event;
    if (callbackOf !== null) expect(JSON.parse(call.body)).toMatchObject(reportOf(callbackOf));
    else expect(call.body).toBe(scheduleId === null ? `body of ${id}` : 'scheduled');
  }
  for (const { attempt, status, startedAt } of outcomesOf(history)) {
    const answers = calls
      .filter((call) => call.retried === attempt && call.startedAt === startedAt)
      .map((call) => call.status);
    expect([id, attempt, answers]).toEqual([id, attempt, expect.arrayContaining([status])]);
  }
}

function dueAt({ published, events }: MessageHistory, attempt: number): number {
  if (attempt === 0) return published.event.notBefore;
  const failed = events.find(
    ({ event }) => event.type === 'AttemptFailed' && event.attempt === attempt - 1,
  )?.event;
  return failed?.type === 'AttemptFailed' ? failed.retryAt : Number.POSITIVE_INFINITY;
}

/** After a cancel was acknowledged no attempt begins. */
function canceledMeansCanceled({ simulation, histories }: Simulated): void {
  for (const { command, callsBefore } of simulation.acknowledged) {
    if (command.type !== 'CancelMessage') continue;
    const history = histories.get(command.id);
    expect(history && fateOf(history)).toBe('canceled');
    const later = simulation.world.calls.slice(callsBefore);
    expect(later.filter(({ messageId }) => messageId === command.id)).toEqual([]);
  }
}

/** What the next life remembers is what this one does. */
async function liveIsReplayed({ simulation }: Simulated): Promise<void> {
  const live = remembered(simulation);
  await simulation.restart(0);
  expect(isDeepStrictEqual(remembered(simulation), live)).toBe(true);
}

function remembered({ server: { engine } }: Simulation) {
  return engine.kinds.map((kind) => {
    const actors = engine.actors(kind);
    return [kind, [...actors.ids()].sort().map((id) => [id, actors.find(id)])];
  });
}

/** What a callback says of the attempt that it reports. */
function reportOf({ messageId, dlqId }: CallbackSource) {
  const sourceBody = Buffer.from(`body of ${messageId}`).toString('base64');
  return { sourceMessageId: messageId, sourceBody, ...(dlqId !== null && { dlqId }) };
}
