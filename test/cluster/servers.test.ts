import { describeWithPostgres } from '../support/program/postgres.js';
import { killRounds } from './kill-rounds.js';

/** Longer: npm run jest -- test/cluster/servers with CLUSTER_ROUNDS=100. */
const rounds = Number(process.env['CLUSTER_ROUNDS'] ?? 4);

describeWithPostgres('servers over a shared log', () => {
  it(
    'lose nothing that was acknowledged while their owners are killed, stopped and ended',
    async () => {
      const report = await killRounds(rounds, { isLogKilled: true });
      expect(report.missing).toEqual([]);
      expect(report.misplaced).toEqual([]);
      expect(report.undelivered).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(10 * rounds);
      expect(report.epochs).toBeGreaterThanOrEqual(rounds);
    },
    120_000 + rounds * 30_000,
  );
});
