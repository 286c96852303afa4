import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Command } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { FoldingHere } from '../../../src/engine/snapshots/folding-aside.js';
import { MemoryCheck } from '../../../src/engine/snapshots/memory-check.js';
import { SnapshotKeeper } from '../../../src/engine/snapshots/snapshot-keeper.js';
import type { PublishMessage } from '../../../src/messaging/messages/message.commands.js';
import { SnapshotMetrics } from '../../../src/server/snapshots/snapshot.metrics.js';
import { SnapshotRunner } from '../../../src/server/snapshots/snapshot-runner.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { countedNames, historyStart } from '../../support/deciders/histories.js';
import { messageCommands, registerMessages } from '../../support/deciders/message-histories.js';
import { foldingEngine } from '../../support/engine.js';
import { ManualClock } from '../../support/manual-clock.js';
import { joinSwept, openSwept } from '../../support/swept-history.js';

const label = () => 'messages';
const fill = (engine: Engine) => void registerMessages(engine);

function isKeyed(command: Command): boolean {
  // Of the commands to messages only this one has the field `message`.
  return (command as PublishMessage).message.deduplicationKey !== null;
}

/** A runner of snapshots over an engine on a disk, with its log lines and counters. */
async function opened(disk: SimulatedDisk) {
  const { engine, codec, journal, store, sweeps } = await openSwept(disk, fill, countedNames());
  const heldUntil = () => journal.endOffset;
  const source = { engine, codec, label, heldUntil, cut: async () => undefined };
  const clock = new ManualClock();
  const begin = () => {
    const folding = foldingEngine((other) => joinSwept(other, fill));
    return new FoldingHere(folding.engine, folding.codec);
  };
  const check = new MemoryCheck(journal, store.snapshots, label, {
    begin,
    isSwept: () => sweeps.edge > 0,
    pause: async () => undefined,
    monotonic: () => clock.monotonic(),
  });
  const registry = new Registry();
  const metrics = new SnapshotMetrics(registry, () => 0);
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => lines.push(line) });
  const keeper = new SnapshotKeeper(source, journal, store.snapshots, 0);
  const runner = new SnapshotRunner(keeper, check, clock, metrics, () => true, log);
  const publish = async (id: string) => {
    const publishes = messageCommands.filter(
      (command) => command.type === 'PublishMessage' && !isKeyed(command),
    );
    const [command] = fc.sample(publishes, { numRuns: 1, seed: 5 });
    if (command === undefined) throw new Error('there is no command');
    await engine.dispatch([{ ...command, id, at: historyStart }]);
    await journal.synced();
  };
  const counted = async (name: string) => {
    const text = await registry.metrics();
    return Number(new RegExp(`^stepwell_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  return { runner, publish, counted, lines };
}

it('a check that cannot read the journal is counted, and the next one runs', async () => {
  const disk = new SimulatedDisk();
  const { runner, publish, counted, lines } = await opened(disk);
  runner.start();
  await publish('one');
  const [path] = [...disk.files().keys()].filter((name) => /logs\/\d+\/\d+\.log$/.test(name));
  if (path === undefined) throw new Error('there is no segment');
  disk.spoil(path, { from: 0, to: 4096 });
  await runner.prove();
  expect(await counted('snapshots_written_total')).toBe(1);
  expect(await counted('snapshot_checks_failed_total')).toBe(1);
  expect(lines).toEqual([expect.stringContaining('a snapshot could not be checked')]);
  disk.spoil(path, null);
  await publish('two');
  await runner.prove();
  expect(await counted('snapshots_checked_total')).toBe(1);
  expect(await counted('snapshot_checks_failed_total')).toBe(1);
  expect(await counted('snapshots_differed_total')).toBe(0);
  expect(lines).toHaveLength(1);
  await runner.stop();
});
