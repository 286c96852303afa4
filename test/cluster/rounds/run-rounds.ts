/**
 * `npm run rounds -- [--log postgres|kafka] [--rounds 100] [--minutes 9] [--faults
 * kill,stop,end,cut,deaf,mute] [--seen FILE]`: rounds of faults over real servers, with their
 * figures, and with the observations for the checker in FILE. Kafka is either what
 * STEPWELL_TEST_KAFKA names, from which nothing can be cut, or librdkafka's mock brokers, which
 * also fail. Mock brokers keep little data, and PostgreSQL has no standby once its primary is lost,
 * after three quarters of the rounds. So many rounds are divided into parts, each with its own log
 * and nodes. Exit code 1 if a promise was broken.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { removeLeftovers } from '../../support/leftovers.js';
import { realBrokers } from '../mock-brokers/mock-brokers.js';
import { NodeNetwork } from './node-network.js';
import { brokenOf, printReports } from './reports.js';
import { type Fault, type RoundsReport, runRounds } from './rounds.js';
import {
  MockBrokersRounds,
  mostMockRounds,
  mostPostgresRounds,
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
const logs = ['postgres', 'kafka'];
if (!logs.includes(values.log)) throw new Error(`--log is one of ${logs.join(', ')}`);
const isKafka = values.log === 'kafka';
const isReal = isKafka && realBrokers !== null;
const network = isReal ? null : NodeNetwork.open(3);
if (!isReal && network === null) console.log('no network namespaces here: nothing is cut');
const wanted = values.faults.split(',') as Fault[];
const uncut = wanted.filter((fault) => ['kill', 'stop', 'end'].includes(fault));
try {
  const reports = await play(Number(values.rounds), Number(values.minutes) * 60_000);
  if (values.seen !== undefined) {
    const seen = reports.map(({ observed }) => ({
      ...observed,
      committed: [...observed.committed],
    }));
    await writeFile(values.seen, JSON.stringify(seen));
  }
  printReports(reports);
  if (reports.some((report) => brokenOf(report).length > 0)) process.exitCode = 1;
} finally {
  await removeLeftovers();
  network?.close();
}

/** Runs parts until `count` rounds, until `withinMs`, or until a part breaks a promise. */
async function play(count: number, withinMs: number): Promise<RoundsReport[]> {
  const until = performance.now() + withinMs;
  const reports: RoundsReport[] = [];
  for (let left = count; left > 0 && performance.now() < until; ) {
    const part = Math.min(left, mostRounds());
    const report = await runRounds({
      log: await sharedLog(part),
      faults: network === null ? uncut : wanted,
      count: part,
      withinMs: until - performance.now(),
      network,
    });
    reports.push(report);
    left -= report.rounds;
    // The result of a part is not lost if a later part is interrupted.
    if (left > 0) printReports([report]);
    if (brokenOf(report).length > 0) break;
  }
  return reports;
}

function mostRounds(): number {
  if (isReal) return Number.POSITIVE_INFINITY;
  return isKafka ? mostMockRounds : mostPostgresRounds;
}

function sharedLog(rounds: number): Promise<RoundsLog> {
  if (!isKafka) return PostgresRounds.create(network, Math.ceil((rounds * 3) / 4) - 1);
  if (realBrokers === null) return MockBrokersRounds.create(network);
  return Promise.resolve(new RealBrokersRounds(realBrokers));
}
