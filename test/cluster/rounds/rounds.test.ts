import { describeWithPostgres } from '../../support/program/postgres.js';
import {
  describeWithMockBrokers,
  describeWithRealBrokers,
  realBrokers,
} from '../mock-brokers/mock-brokers.js';
import { NodeNetwork } from './node-network.js';
import { brokenOf } from './reports.js';
import { type Fault, type RoundsOptions, runRounds } from './rounds.js';
import { MockBrokersRounds, PostgresRounds, RealBrokersRounds } from './shared-logs.js';

/** For longer runs with more faults: `npm run rounds`. */
const network = NodeNetwork.open(3);
const faults: readonly Fault[] = network === null ? ['stop', 'end'] : ['stop', 'cut', 'end'];
const mockFaults: readonly Fault[] = network === null ? ['kill', 'stop'] : ['kill', 'cut', 'stop'];
const where = network === null ? ' (no network namespaces here: none is cut off)' : '';

afterAll(() => network?.close());

async function expectKept(options: RoundsOptions): Promise<void> {
  const report = await runRounds(options);
  expect(brokenOf(report)).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(10 * options.count);
  expect(report.epochs).toBeGreaterThan(options.count);
}

describeWithPostgres('servers over a shared log', () => {
  it(`keep what they promised while owners are stopped, cut off, ended${where}`, async () => {
    const log = await PostgresRounds.create(network, 1);
    await expectKept({ log, faults, count: faults.length, network });
  }, 240_000);
});

describeWithMockBrokers('servers over a log on the protocol of Kafka', () => {
  it(`keep what they promised while owners are killed, cut off, stopped${where}`, async () => {
    const log = await MockBrokersRounds.create(network);
    await expectKept({ log, faults: mockFaults, count: mockFaults.length, network });
  }, 240_000);
});

describeWithRealBrokers('servers over real brokers', () => {
  it('keep what they promised while owners are killed and stopped', async () => {
    const log = new RealBrokersRounds(realBrokers ?? '');
    await expectKept({ log, faults: ['kill', 'stop'], count: 2, network: null });
  }, 240_000);
});
