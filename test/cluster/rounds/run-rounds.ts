/**
 * `npm run rounds -- [--log postgres|kafka] [--rounds 100] [--minutes 9]
 * [--faults kill,stop,end,cut,deaf,mute] [--seen FILE]`: rounds of faults over real servers, with
 * their figures, and what the checker was given in FILE. Kafka is what STEPWELL_TEST_KAFKA names,
 * or librdkafka's mock brokers, which fail, too; nothing is cut from it. Exit code 1 where a
 * promise was broken.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { removeLeftovers } from '../../support/leftovers.js';
import { realBrokers } from '../mock-brokers/mock-brokers.js';
import { NodeNetwork } from './node-network.js';
import { type Fault, runRounds } from './rounds.js';
import {
  MockBrokersRounds,
  PostgresRounds,
  RealBrokersRounds,
  type RoundsLog,
} from './shared-logs.js';

const { values } = parseArgs({
  options: {
    log: { type: 'string', default: 'postgres' },
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '9' },
    seen: { type: 'string' },
    faults: { type: 'string', default: 'kill,stop,end,cut,deaf,mute' },
  },
});
const isKafka = values.log === 'kafka';
const network = isKafka ? null : NodeNetwork.open(3);
if (!isKafka && network === null) console.log('no network namespaces here: nothing is cut');
const wanted = values.faults.split(',') as Fault[];
const uncut = wanted.filter((fault) => ['kill', 'stop', 'end'].includes(fault));
try {
  const report = await runRounds({
    log: await sharedLog(),
    faults: network === null ? uncut : wanted,
    count: Number(values.rounds),
    withinMs: Number(values.minutes) * 60_000,
    network,
  });
  const { servesMs, takeoverMs, observed, ...others } = report;
  if (values.seen !== undefined) {
    const committed = [...observed.committed];
    await writeFile(values.seen, JSON.stringify({ ...observed, committed }));
  }
  console.log(JSON.stringify(others, null, 1));
  for (const [what, byFault] of Object.entries({
    'another node serves': servesMs,
    'a publish is acknowledged': takeoverMs,
  })) {
    console.log(`from the fault until ${what}`);
    for (const [fault, times] of Object.entries(byFault)) console.log(`  ${fault}`, summary(times));
    const unplanned = Object.entries(byFault).filter(([fault]) => fault !== 'end');
    console.log('  all that were not planned', summary(unplanned.flatMap(([, times]) => times)));
  }
  const { missing, misplaced, undelivered, violations, strays } = report;
  const broken = [missing, misplaced, undelivered, violations, strays].flat();
  if (broken.length > 0) process.exitCode = 1;
} finally {
  network?.close();
  await removeLeftovers();
}

function sharedLog(): Promise<RoundsLog> {
  if (!isKafka) return PostgresRounds.create(network);
  if (realBrokers === null) return MockBrokersRounds.create();
  return Promise.resolve(new RealBrokersRounds(realBrokers));
}

function summary(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return `${sorted.length}: median ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${sorted.at(-1)} ms`;
}
