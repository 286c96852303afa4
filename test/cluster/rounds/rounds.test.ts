import { describeWithPostgres } from '../../support/program/postgres.js';
import { PostgresPair } from '../server-cluster.js';
import { NodeNetwork } from './node-network.js';
import { type Fault, runRounds } from './rounds.js';

/** Longer, and with more faults: `npm run rounds`. */
const network = NodeNetwork.open(3);
const faults: readonly Fault[] = network === null ? ['stop', 'end'] : ['stop', 'cut', 'end'];
const where = network === null ? ' (no network namespaces here: none is cut off)' : '';

afterAll(() => network?.close());

describeWithPostgres('servers over a shared log', () => {
  it(`keep what they promised while owners are stopped, cut off, ended${where}`, async () => {
    const log = await PostgresPair.create(network);
    const count = faults.length;
    const report = await runRounds({ log, faults, count, isPrimaryLost: true, network });
    expect(report.missing).toEqual([]);
    expect(report.misplaced).toEqual([]);
    expect(report.undelivered).toEqual([]);
    expect(report.violations).toEqual([]);
    expect(report.strays).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(10 * count);
    expect(report.epochs).toBeGreaterThan(count);
  }, 240_000);
});
