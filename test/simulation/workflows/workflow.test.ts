import { isDeepStrictEqual } from 'node:util';
import { seed as firstSeed } from '../../support/seed.js';
import { Simulation } from '../simulation.js';
import { WorkflowDice } from './workflow-dice.js';
import { type RunHistories, type RunHistory, runHistories } from './workflow-history.js';
import { leftInMemory, remembered } from './workflow-memory.js';
import * as outcomes from './workflow-outcomes.js';
import { lettersAreTakenOnce, whatWasLeftIsInherited } from './workflow-revivals.js';
import * as rules from './workflow-rules.js';
import { WorkflowWorld } from './workflow-world.js';

/** More for longer runs: `SIMULATION_SEEDS=1000 npm run jest -- test/simulation/workflow`. */
const seeds = Number(process.env['SIMULATION_SEEDS'] ?? 2);
const steps = 60;

/** How a day goes: everything fails now and then, or nothing does. */
type Mood = 'rough' | 'quiet';

/** A simulation in the middle of its day. */
async function begin(seed: number, mood: Mood) {
  const isRough = mood === 'rough';
  const simulation = new Simulation(
    seed,
    (random) => new WorkflowWorld(random),
    (random, world) => new WorkflowDice(random, world, isRough),
    { powerCuts: isRough, clockLeaps: isRough },
  );
  const { world } = simulation;
  world.simulation = simulation;
  world.isMoody = isRough;
  await simulation.run(steps);
  return simulation;
}

/** One that has come to rest, and what its journal holds. */
async function simulate(seed: number, mood: Mood) {
  const simulation = await begin(seed, mood);
  await simulation.finish(() => {
    const { engine } = simulation.server;
    return engine.actors('run').size === 0 && engine.actors('message').size === 0;
  });
  expect(simulation.server.failures).toEqual([]);
  expect(simulation.world.mistakes).toEqual([]);
  const histories = await runHistories(simulation.past);
  const calls = rules.callsByMessage(simulation);
  for (const history of histories.values()) ruleRun(simulation, calls, histories, history);
  await lettersAreTakenOnce(simulation, histories);
  outcomes.parentsHearOfChildren(histories);
  outcomes.notifiedEventsArrive(simulation, histories);
  outcomes.acknowledgedIsKept(simulation, histories);
  const left = Object.entries(leftInMemory(simulation.server)).filter(([, size]) => size > 0);
  expect(left).toEqual([]);
  return { simulation, calls, histories };
}

function ruleRun(
  simulation: rules.WorkflowSimulation,
  calls: rules.CallsByMessage,
  histories: RunHistories,
  history: RunHistory,
): void {
  rules.endsOnce(history);
  rules.endsAsItsProgramSays(simulation, histories, history);
  rules.oneOutcomePerStep(history);
  rules.prefixesAreExact(calls, history);
  rules.entriesAreDelivered(simulation, calls, history);
  rules.callsAreAnswered(history);
  rules.takeoversAreAnswers(calls, history);
  rules.nobodyIsCalledAfterTheEnd(simulation, calls, history);
  rules.failuresAreReported(history);
  outcomes.waitsEndOnce(simulation, history);
  outcomes.earlyEventsAreTakenInOrder(history);
  whatWasLeftIsInherited(simulation, histories, history);
}

/** The calls of rough days that were simulated, by seed: one more is compared with them. */
const roughDays = new Map<number, readonly object[]>();

async function callsOfRoughDay(seed: number): Promise<readonly object[]> {
  const { simulation } = await simulate(seed, 'rough');
  return structuredClone(simulation.world.calls);
}

const numbers = Array.from({ length: seeds }, (_, index) => firstSeed + index);

describe('a simulated day of workflow runs', () => {
  it.each(numbers)(
    'on which anything may fail, seed %i',
    async (seed) => {
      const { simulation, histories } = await simulate(seed, 'rough');
      roughDays.set(seed, structuredClone(simulation.world.calls));
      expect(histories.size).toBeGreaterThan(0);
    },
    60_000,
  );

  it.each(numbers.slice(0, Math.ceil(seeds / 4)))(
    'on which nothing fails: endpoints are called as often as the protocol says, seed %i',
    async (seed) => {
      const { simulation, calls, histories } = await simulate(seed, 'quiet');
      for (const history of histories.values()) rules.callsAreCounted(simulation, calls, history);
    },
    60_000,
  );

  it(`is remembered by the next life as it is by this one (${firstSeed})`, async () => {
    const simulation = await begin(firstSeed, 'rough');
    // What is due by now has to have happened: the next life would begin with it.
    await simulation.server.pass(60_000);
    expect(simulation.server.journal.highWatermark).toBe(simulation.server.journal.endOffset);
    const live = remembered(simulation.server);
    await simulation.restart(0);
    expect(isDeepStrictEqual(remembered(simulation.server), live)).toBe(true);
  }, 60_000);

  it(`is the same day again from the same seed (${firstSeed})`, async () => {
    const one = roughDays.get(firstSeed) ?? (await callsOfRoughDay(firstSeed));
    expect(one.length).toBeGreaterThan(0);
    expect(await callsOfRoughDay(firstSeed)).toEqual(one);
  }, 60_000);
});
