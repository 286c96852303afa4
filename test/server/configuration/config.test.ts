import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  allowedNetworks,
  type Config,
  ConfigurationError,
  listensOnLoopback,
  readConfiguration,
} from '../../../src/server/configuration/config.js';
import { shownSettings } from '../../../src/server/configuration/shown-settings.js';

const read = (environment: Record<string, string>) => readConfiguration(environment).config;

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

const day = 86_400_000;

/** Every variable: its field, its default, a valid text and its value, and texts to refuse. */
const table: [string, keyof Config, unknown, string, unknown, string[]][] = [
  ['HOST', 'host', '127.0.0.1', '::', '::', ['']],
  ['PORT', 'port', 8080, '0', 0, ['', '-1', '65536', '80a', '1e3', ' 80']],
  ['DATA_DIR', 'dataDirectory', './data', '/var/lib/x', '/var/lib/x', ['']],
  ['TOKEN', 'tokens', null, 'a, b', ['a', 'b'], ['', ',', 'a b', 'ä']],
  ['READ_TOKEN', 'readTokens', null, 'a', ['a'], ['', 'a\tb']],
  ['REST_USERNAME', 'restUsername', null, 'me', 'me', ['', 'a:b']],
  ['REST_PASSWORD', 'restPassword', null, 'a:b c', 'a:b c', ['']],
  [
    'CURRENT_SIGNING_KEY',
    'currentSigningKey',
    null,
    'sig_12345',
    'sig_12345',
    ['', 'short', 'with a blank'],
  ],
  ['NEXT_SIGNING_KEY', 'nextSigningKey', null, 'sig_12345', 'sig_12345', ['', 'short']],
  ['SNAPSHOT_EVERY', 'snapshotEveryBytes', 64 * 1024 ** 2, 'off', Infinity, ['', '1b', 'never']],
  ['DIALECT', 'dialect', 'svc', 'upstash', 'upstash', ['', 'SVC', 'toString']],
  [
    'CORS_ORIGINS',
    'corsOrigins',
    null,
    'https://App.test:443/, http://localhost:3000',
    ['https://app.test', 'http://localhost:3000'],
    ['*', 'app.test', 'null', 'https://a.test/x', 'https://u@a.test', 'file:///a', 'ftp://a.test'],
  ],
  [
    'TRUSTED_PROXIES',
    'trustedProxies',
    [],
    '10.0.0.0/8, ::1',
    ['10.0.0.0/8', '::1/128'],
    ['10.0.0.0/33', 'proxy.internal', '10.1', '10/8', '10.0/16', '0x7f.1/8', '10.0.0.0/8/8'],
  ],
  [
    'PUBLIC_URL',
    'publicUrl',
    null,
    'https://a.test/b/',
    'https://a.test/b',
    ['', 'a.test', 'ftp://a', 'http://u@a', 'http://:p@a', 'http://a?b', 'http://a#b'],
  ],
  [
    'FSYNC',
    'fsync',
    'strict',
    'interval:5',
    { intervalMs: 5 },
    ['', 'interval', 'interval:0', 'interval:-1', 'no'],
  ],
  [
    'ALLOW_NETWORKS',
    'allowNetworks',
    null,
    '10.0.0.0/8, ::1, Db.internal',
    { networks: ['10.0.0.0/8', '::1/128'], hosts: ['db.internal'] },
    ['10.0.0.0/33', 'a_b c', 'http://a', '10/8', '127.1/16', '0/0', '10', '127.1', 'db.0x7f'],
  ],
  [
    'HOST_OVERRIDES',
    'hostOverrides',
    new Map(),
    'A.test=127.0.0.1:9000,b=[::1]:1',
    new Map([
      ['a.test', { hostname: '127.0.0.1', port: 9000 }],
      ['b', { hostname: '::1', port: 1 }],
    ]),
    ['a', 'a=b', 'a=b:0', 'a=b:65536', '=b:1', 'a=b:1,a=c:1', 'a=[x]:1'],
  ],
  ['RETRIES', 'retries', 3, '0', 0, ['', '-1', '1.5', '1001']],
  ['RETRIES_MAX', 'retriesMax', 1000, '5', 5, ['', 'x', '2']],
  ['DELAY_MAX', 'delayMaxMs', 365 * day, '2w', 14 * day, ['', '0', '0s', 'soon', '-1s']],
  ['TIMEOUT', 'timeoutMs', 900_000, '90', 90_000, ['', '0', 'x']],
  [
    'MAX_BODY',
    'maxBodyBytes',
    10 * 1024 ** 2,
    '64KB',
    65_536,
    ['', '0', '10', '2gb', '10 tb', '-1mb', '1.5mb', '17mb', '10constructor'],
  ],
  ['MAX_BATCH', 'maxBatchBytes', 16 * 1024 ** 2, '64mb', 64 * 1024 ** 2, ['', '0', 'big', '1mb']],
  ['AS_OF_MEMORY', 'asOfMemoryBytes', 512 * 1024 ** 2, '1gb', 1024 ** 3, ['', 'big', '127mb']],
  ['IN_FLIGHT', 'inFlightBytes', 256 * 1024 ** 2, '1gb', 1024 ** 3, ['', '0', 'big', '31mb']],
  ['CONNECTIONS_MAX', 'connectionsMax', 4096, '100', 100, ['', '0', 'x']],
  ['CONNECTIONS_PER_ADDRESS', 'connectionsPerAddress', null, '10', 10, ['', '0', 'x']],
  ['ANSWER_MAX', 'answerBytesMax', 1024 ** 2, '64kb', 65_536, ['', '0', 'big', '2gb']],
  ['GLOBAL_PARALLELISM', 'globalParallelism', 1000, '1', 1, ['', '0', 'x']],
  ['ORIGIN_PARALLELISM', 'originParallelism', 64, '1', 1, ['', '0', 'x']],
  ['MCP', 'mcp', false, 'true', true, ['', 'on', '1']],
  ['LOG_RETENTION', 'logRetentionMs', 7 * day, '1h', 3_600_000, ['', '0']],
  ['DLQ_RETENTION', 'deadLetterRetentionMs', 30 * day, '1h', 3_600_000, ['', '0']],
  ['JOURNAL_RETENTION', 'journalRetention', 'sweep', 'forever', 'forever', ['', '7d', 'SWEEP']],
  ['JOURNAL_SEAL', 'journalSealMs', 86_400_000, '1h', 3_600_000, ['', '59s', '2y', 'never']],
  ['ARCHIVE_DIR', 'archiveDirectory', null, '/archive', '/archive', ['', ' ']],
  ['BACKUP_DIR', 'backupDirectory', null, '/backups', '/backups', ['', ' ']],
  ['SCRUB_RATE', 'scrubBytesPerSecond', 4 * 1024 ** 2, 'off', 0, ['', '0', 'x', 'OFF']],
  ['READ_ONLY', 'readOnly', 'auto', 'always', 'always', ['', 'true', 'AUTO']],
  ['TOPIC_PARTITIONS', 'topicPartitions', 3, '1', 1, ['', '0', '1025']],
  ['TOPICS_MAX', 'topicsMax', 1000, '5', 5, ['', '0', 'x', '1.5']],
  ['PARTITIONS_MAX', 'partitionsMax', 10_000, '5', 5, ['', '0', 'x', '1.5']],
  ['TOPIC_RETENTION', 'topicRetentionMs', 7 * day, '1d', day, ['', '0']],
  ['TOPIC_AUTO_CREATE', 'topicAutoCreate', true, 'false', false, ['', '1', 'TRUE', 'no']],
  ['CONSUMER_IDLE', 'consumerIdleMs', 2 * 60_000, '90s', 90_000, ['', '5x', '-1s', '0', '25h']],
  ['GROUPS_MAX', 'groupsMax', 10_000, '5', 5, ['', '0', 'x', '1.5']],
  ['CONSUMERS_MAX', 'consumersMax', 10_000, '5', 5, ['', '0', 'x', '1.5']],
  ['GROUP_RETENTION', 'groupRetentionMs', 7 * day, '1d', day, ['', '1x', '-1d']],
  ['LOG_LEVEL', 'logLevel', 'info', 'silent', 'silent', ['', 'verbose', 'INFO']],
  ['LOG_FORMAT', 'logFormat', null, 'pretty', 'pretty', ['', 'text', 'JSON']],
  ['METRICS_NAMES', 'metricsNamesMax', 10, '0', 0, ['', '-1', '101', 'all']],
];

/** The other settings of a node of a cluster, as they require each other. */
const clusterEnvironment = {
  STEPWELL_COMMIT_LOG: 'postgres://stepwell:secret@db:5432/stepwell',
  STEPWELL_CLUSTER_LISTEN: '10.0.0.1:7070',
  STEPWELL_CLUSTER_SECRET: 'shared-by-all-nodes',
  STEPWELL_TOKEN: 'token-of-all-nodes',
  STEPWELL_REST_USERNAME: 'user',
  STEPWELL_REST_PASSWORD: 'password-of-all-nodes',
  STEPWELL_CURRENT_SIGNING_KEY: 'sig_current',
  STEPWELL_NEXT_SIGNING_KEY: 'sig_next',
};

const clusterTable: typeof table = [
  [
    'COMMIT_LOG',
    'commitLog',
    null,
    'postgres://a@db1/s, postgresql://a@db2/s',
    ['postgres://a@db1/s', 'postgresql://a@db2/s'],
    [
      '',
      'mysql://db',
      'postgres://',
      'db',
      'postgres://a,kafka://b',
      'kafka://a:1/t,kafka://b:1/t',
    ],
  ],
  ['COMMIT_LOG_RETENTION', 'commitLogRetentionMs', 7_200_000, '1d', day, ['', '0', 'x']],
  [
    'CLUSTER_LISTEN',
    'clusterListen',
    null,
    '[::1]:7071',
    { hostname: '::1', port: 7071 },
    ['', '7070', 'host', 'host:0', 'host:65536', '::1:7070', 'a b:1'],
  ],
  [
    'CLUSTER_URL',
    'clusterUrl',
    null,
    'https://node-1.internal/',
    'https://node-1.internal',
    ['', 'node-1', 'ftp://node-1', 'http://node-1/path', 'http://u@node-1'],
  ],
  [
    'CLUSTER_SECRET',
    'clusterSecret',
    null,
    'long-enough-to-be',
    'long-enough-to-be',
    ['', 'fifteen-letters', 'a\nb c d e f g h i j'],
  ],
];

const everySetting = [...table, ...clusterTable];

describe.each(clusterTable)(
  'STEPWELL_%s of a node',
  (name, field, standard, text, value, refused) => {
    test('has its default', () => {
      expect(read({})[field]).toEqual(standard);
    });

    test('is read', () => {
      expect(read({ ...clusterEnvironment, [`STEPWELL_${name}`]: text })[field]).toEqual(value);
    });

    test.each(refused.map((bad) => [bad]))('refuses "%s" in one line that names it', (bad) => {
      const problems = problemsOf({ ...clusterEnvironment, [`STEPWELL_${name}`]: bad });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`STEPWELL_${name}`);
    });
  },
);

test.each(Object.keys(clusterEnvironment).filter((name) => name !== 'STEPWELL_COMMIT_LOG'))(
  'a node of a cluster is refused without %s',
  (name) => {
    const { [name]: _, ...others }: Record<string, string> = clusterEnvironment;
    expect(problemsOf(others)).toEqual([`STEPWELL_COMMIT_LOG needs ${name}, alike on all nodes`]);
  },
);

test('settings of a node are refused without a shared log', () => {
  expect(problemsOf({ STEPWELL_CLUSTER_LISTEN: '10.0.0.1:7070' })).toEqual([
    'STEPWELL_CLUSTER_... is given without STEPWELL_COMMIT_LOG',
  ]);
});

test('the brokers of a shared log are in one URL', () => {
  const url = 'kafka://user:secret@one:9092,two:9092/stepwell?tls=true&sasl=scram-sha-512';
  const { config } = readConfiguration({ ...clusterEnvironment, STEPWELL_COMMIT_LOG: ` ${url}` });
  expect(config.commitLog).toEqual([url]);
  expect(
    problemsOf({ ...clusterEnvironment, STEPWELL_COMMIT_LOG: 'kafka://one/stepwell' }),
  ).toEqual([expect.stringContaining('broker 1 is no host:port')]);
});

test('a node of a cluster must wait for its disk', () => {
  expect(problemsOf({ ...clusterEnvironment, STEPWELL_FSYNC: 'os' })).toEqual([
    'STEPWELL_COMMIT_LOG needs STEPWELL_FSYNC=strict',
  ]);
});

test('a node of a cluster compares its memory, which requires snapshots', () => {
  expect(problemsOf({ ...clusterEnvironment, STEPWELL_SNAPSHOT_EVERY: 'off' })).toEqual([
    'STEPWELL_COMMIT_LOG needs snapshots: STEPWELL_SNAPSHOT_EVERY is off',
  ]);
});

describe.each(table)('STEPWELL_%s', (name, field, standard, text, value, refused) => {
  test('has its default', () => {
    expect(read({})[field]).toEqual(standard);
  });

  test('is read', () => {
    expect(read({ [`STEPWELL_${name}`]: text })[field]).toEqual(value);
  });

  test.each(refused.map((bad) => [bad]))('refuses "%s" in one line that names it', (bad) => {
    const problems = problemsOf({ [`STEPWELL_${name}`]: bad });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`STEPWELL_${name}`);
  });
});

test('the table above has every setting', () => {
  const { isDevelopment, telemetry, ...settings } = read({});
  expect(isDevelopment).toBe(false);
  // Telemetry is configured by other variables (telemetry-settings.test).
  expect(telemetry).toBeNull();
  expect(everySetting.map(([, field]) => field).sort()).toEqual(Object.keys(settings).sort());
});

test('docs/configuration.md has a row for every setting, and for no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `STEPWELL_'));
  const named = rows.flatMap((row) => row.split('|')[1]?.match(/STEPWELL_\w+/g) ?? []);
  expect(named.sort()).toEqual(everySetting.map(([name]) => `STEPWELL_${name}`).sort());
});

test('all problems are reported at once, even a misspelt name', () => {
  expect(problemsOf({ STEPWELL_PROT: '80', STEPWELL_PORT: 'x', STEPWELL_FSYNC: 'y' })).toEqual([
    'STEPWELL_PROT is not a setting of Stepwell',
    'STEPWELL_PORT is not a whole number from 0 to 65535',
    'STEPWELL_FSYNC is not one of strict, interval:<ms>, os',
  ]);
});

test.each([
  ['./data', 'data/backups', true],
  ['/data', '/data', true],
  ['/data/', '/data/..backups', true],
  ['/data', '/data/../backups', false],
  ['/data', '/database', false],
  ['/data/live', '/data', false],
])('a backup of %s in %s is refused: %s', (data, backups, isRefused) => {
  const problems = problemsOf({ STEPWELL_DATA_DIR: data, STEPWELL_BACKUP_DIR: backups });
  expect(problems).toEqual(isRefused ? [expect.stringContaining('STEPWELL_BACKUP_DIR is in')] : []);
});

test('environment variables of other programs are ignored', () => {
  expect(problemsOf({ PORT: 'x', STEPWELLNESS: 'y' })).toEqual([]);
});

test('the environment takes precedence over a default of a command', () => {
  const origin = (environment: Record<string, string>) => {
    const { config, origins } = readConfiguration(environment, 'dev');
    return [config.dialect, origins.find(({ name }) => name === 'dialect')?.source];
  };
  expect(origin({})).toEqual(['upstash', 'default']);
  expect(origin({ STEPWELL_DIALECT: 'svc' })).toEqual(['svc', 'environment']);
});

test('only the command dev makes a development server', () => {
  expect(readConfiguration({}, 'dev').config.isDevelopment).toBe(true);
});

test('a configuration cannot be changed', () => {
  expect(Object.isFrozen(read({}))).toBe(true);
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['localhost.evil.test', false],
])('listening on %s is loopback: %s', (host, isLoopback) => {
  expect(listensOnLoopback(host)).toBe(isLoopback);
});

test('private addresses are reachable only while no other machine can reach the server', () => {
  expect(allowedNetworks(read({})).networks).toContain('127.0.0.0/8');
  expect(allowedNetworks(read({ STEPWELL_HOST: '0.0.0.0' }))).toEqual({ networks: [], hosts: [] });
  const named = { STEPWELL_HOST: '0.0.0.0', STEPWELL_ALLOW_NETWORKS: '10.1.0.0/16' };
  expect(allowedNetworks(read(named))).toEqual({ networks: ['10.1.0.0/16'], hosts: [] });
  expect(allowedNetworks(read({ STEPWELL_ALLOW_NETWORKS: '' }))).toEqual({
    networks: [],
    hosts: [],
  });
});

test('no text makes the reader throw anything but its own error', () => {
  fc.assert(
    fc.property(fc.constantFrom(...table), fc.string({ unit: 'binary' }), ([name], text) => {
      expect(problemsOf({ [`STEPWELL_${name}`]: text }).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 2000 },
  );
});

test('an answer is stored at most up to the size of one record', () => {
  expect(problemsOf({ STEPWELL_ANSWER_MAX: '31mb' })).toEqual([
    expect.stringContaining('STEPWELL_ANSWER_MAX is above 30mb'),
  ]);
  expect(problemsOf({ STEPWELL_ANSWER_MAX: '30mb' })).toEqual([]);
});

test('the public URL is shown with brackets around an IPv6 address', () => {
  const environment = { STEPWELL_HOST: '::1', STEPWELL_PORT: '9000' };
  const { config, origins } = readConfiguration(environment);
  const shown = shownSettings(config, origins, () => 'generated');
  const publicUrl = shown.find(({ variable }) => variable === 'STEPWELL_PUBLIC_URL');
  expect(publicUrl?.value).toBe('http://[::1]:9000');
});

test('a body may not be larger than one record', () => {
  const large = { STEPWELL_MAX_BODY: '31mb', STEPWELL_MAX_BATCH: '64mb' };
  expect(problemsOf(large)).toEqual([expect.stringContaining('STEPWELL_MAX_BODY is above 30mb')]);
  expect(problemsOf({ ...large, STEPWELL_MAX_BODY: '30mb' })).toEqual([]);
});
