import fc from 'fast-check';
import { ConfigurationError, readConfiguration } from '../../../src/server/configuration/config.js';
import {
  descriptorLimit,
  shareDescriptors,
  sharesLine,
} from '../../../src/server/lifecycle/descriptors.js';

const configOf = (environment: Record<string, string> = {}) =>
  readConfiguration(environment).config;

test('the server knows how many files its process may open', () => {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits: { readonly open_files: { readonly soft: unknown } };
  };
  expect(String(descriptorLimit()).replace('Infinity', 'unlimited')).toBe(
    String(userLimits.open_files.soft),
  );
});

test('many files leave the configured limits, and half of the connections to one address', () => {
  const config = configOf();
  const shares = shareDescriptors(20_000, config);
  expect(shares).toEqual({
    limit: 20_000,
    connections: 4096,
    connectionsPerAddress: 2048,
    attempts: 1000,
  });
  expect(sharesLine(shares, config)).toBe(
    'at most 4096 connections, 2048 of them from one address, and 1000 attempts at once; ' +
      '20000 files may be open (ulimit -n)',
  );
  expect(shareDescriptors(Number.POSITIVE_INFINITY, config)).toMatchObject({ connections: 4096 });
});

test('few files lower the configured limits, and the log line says so', () => {
  const config = configOf();
  const shares = shareDescriptors(1024, config);
  expect(shares).toMatchObject({ connections: 256, connectionsPerAddress: 128, attempts: 128 });
  expect(sharesLine(shares, config)).toContain('which is too few for what is configured');
});

test('too few files are refused', () => {
  expect(() => shareDescriptors(639, configOf())).toThrow(ConfigurationError);
});

test('connections and attempts leave the store its files, however they are configured', () => {
  const count = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(fc.integer({ min: 640, max: 2 ** 20 }), count, count, count, (limit, ...limits) => {
      const [connections, perAddress, attempts] = limits;
      const config = configOf({
        STEPWELL_CONNECTIONS_MAX: String(connections),
        STEPWELL_CONNECTIONS_PER_ADDRESS: String(perAddress),
        STEPWELL_GLOBAL_PARALLELISM: String(Math.min(attempts, 100_000)),
      });
      const shares = shareDescriptors(limit, config);
      expect(shares.connections + 2 * shares.attempts).toBeLessThanOrEqual(limit - 512);
      expect(shares.connectionsPerAddress).toBeLessThanOrEqual(shares.connections);
      for (const share of [shares.connections, shares.attempts]) expect(share).toBeGreaterThan(0);
    }),
  );
});
