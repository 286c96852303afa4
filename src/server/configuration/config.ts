/** Every setting of a server, read from the environment and checked once. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { keysOf } from '../../grammar/keys.js';
import type { DialectName } from '../../http/dialect.js';
import type { AllowedNetworks } from '../../messaging/settings.js';
import * as cluster from './cluster-settings.js';
import * as grammar from './config-grammars.js';
import { optional, secret, setting } from './setting.js';
import { readTelemetry, type TelemetrySettings } from './telemetry-settings.js';
import { isWithin } from './within.js';

/** Where a value came from. `file`, `generated` and `published` concern credentials. */
export type Source = 'default' | 'environment' | 'option' | 'file' | 'generated' | 'published';

/** The environment a configuration is read from: names to texts. */
export type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const logFormats = ['json', 'pretty'] as const;
const journalRetentions = ['sweep', 'forever'] as const;
const readOnlyModes = ['auto', 'always', 'never'] as const;
const dialectNames: readonly DialectName[] = ['svc', 'upstash'];

/** A body and its metadata are one record of the journal; a record batch holds 32 MiB. */
const bodyBytesMax = 30 * 1024 * 1024;

/** The memory of a server that holds no data, and some headroom. */
const asOfMemoryBytesMin = 128 * 1024 * 1024;

/** One owner may hold half of the bytes in flight: as much as reading one answer may take. */
const inFlightBytesMin = 32 * 1024 * 1024;

/** Loopback and the private ranges: the addresses of a developer's own machine and network. */
const nearbyNetworks = '127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7';

const settings = {
  host: setting('HOST', '127.0.0.1', grammar.readText),
  port: setting('PORT', '8080', grammar.readInteger(0, 65535)),
  dataDirectory: setting('DATA_DIR', './data', grammar.readText),
  tokens: secret('TOKEN', grammar.readTokens),
  readTokens: secret('READ_TOKEN', grammar.readTokens),
  restUsername: secret('REST_USERNAME', grammar.readUserName),
  restPassword: secret('REST_PASSWORD', grammar.readText),
  currentSigningKey: secret('CURRENT_SIGNING_KEY', grammar.readSigningKey),
  nextSigningKey: secret('NEXT_SIGNING_KEY', grammar.readSigningKey),
  dialect: setting('DIALECT', 'svc', grammar.readWord(dialectNames)),
  corsOrigins: optional('CORS_ORIGINS', grammar.readOrigins),
  trustedProxies: setting('TRUSTED_PROXIES', '', grammar.readNetworks),
  publicUrl: optional('PUBLIC_URL', grammar.readPublicUrl),
  fsync: setting('FSYNC', 'strict', grammar.readFsyncMode),
  allowNetworks: optional('ALLOW_NETWORKS', grammar.readAllowedNetworks),
  hostOverrides: setting('HOST_OVERRIDES', '', grammar.readHostOverrides),
  retries: setting('RETRIES', '3', grammar.readInteger(0, 1_000_000)),
  retriesMax: setting('RETRIES_MAX', '1000', grammar.readInteger(0, 1_000_000)),
  delayMaxMs: setting('DELAY_MAX', '1y', grammar.readDuration),
  timeoutMs: setting('TIMEOUT', '15m', grammar.readDuration),
  maxBodyBytes: setting('MAX_BODY', '10mb', grammar.readSize),
  answerBytesMax: setting('ANSWER_MAX', '1mb', grammar.readSize),
  maxBatchBytes: setting('MAX_BATCH', '16mb', grammar.readSize),
  inFlightBytes: setting('IN_FLIGHT', '256mb', grammar.readSize),
  connectionsMax: setting('CONNECTIONS_MAX', '4096', grammar.readInteger(1, 1_000_000)),
  connectionsPerAddress: optional('CONNECTIONS_PER_ADDRESS', grammar.readInteger(1, 1_000_000)),
  globalParallelism: setting('GLOBAL_PARALLELISM', '1000', grammar.readInteger(1, 100_000)),
  originParallelism: setting('ORIGIN_PARALLELISM', '64', grammar.readInteger(1, 100_000)),
  logRetentionMs: setting('LOG_RETENTION', '7d', grammar.readDuration),
  deadLetterRetentionMs: setting('DLQ_RETENTION', '30d', grammar.readDuration),
  journalRetention: setting('JOURNAL_RETENTION', 'sweep', grammar.readWord(journalRetentions)),
  archiveDirectory: optional('ARCHIVE_DIR', grammar.readText),
  backupDirectory: optional('BACKUP_DIR', grammar.readText),
  scrubBytesPerSecond: setting('SCRUB_RATE', '4mb', grammar.readRate),
  readOnly: setting('READ_ONLY', 'auto', grammar.readWord(readOnlyModes)),
  journalSealMs: setting(
    'JOURNAL_SEAL',
    '1d',
    grammar.readDurationFrom(60_000, 31_622_400_000, '1m to 1y'),
  ),
  snapshotEveryBytes: setting('SNAPSHOT_EVERY', '64mb', grammar.readSnapshotEvery),
  asOfMemoryBytes: setting('AS_OF_MEMORY', '512mb', grammar.readSize),
  topicPartitions: setting('TOPIC_PARTITIONS', '3', grammar.readInteger(1, 1024)),
  topicsMax: setting('TOPICS_MAX', '1000', grammar.readInteger(1, 1_000_000)),
  partitionsMax: setting('PARTITIONS_MAX', '10000', grammar.readInteger(1, 1_000_000)),
  topicRetentionMs: setting('TOPIC_RETENTION', '7d', grammar.readDuration),
  topicAutoCreate: setting('TOPIC_AUTO_CREATE', 'true', grammar.readBoolean),
  consumerIdleMs: setting(
    'CONSUMER_IDLE',
    '2m',
    grammar.readDurationFrom(1000, 86_400_000, '1s to 1d'),
  ),
  groupsMax: setting('GROUPS_MAX', '10000', grammar.readInteger(1, 1_000_000)),
  consumersMax: setting('CONSUMERS_MAX', '10000', grammar.readInteger(1, 1_000_000)),
  groupRetentionMs: setting('GROUP_RETENTION', '7d', grammar.readDuration),
  commitLog: secret('COMMIT_LOG', cluster.readCommitLog),
  commitLogRetentionMs: setting('COMMIT_LOG_RETENTION', '2h', grammar.readDuration),
  clusterListen: optional('CLUSTER_LISTEN', cluster.readHostAndPort),
  clusterUrl: optional('CLUSTER_URL', cluster.readOrigin),
  clusterSecret: secret('CLUSTER_SECRET', grammar.readSharedSecret),
  mcp: setting('MCP', 'false', grammar.readBoolean),
  logLevel: setting('LOG_LEVEL', 'info', grammar.readWord(logLevels)),
  metricsNamesMax: setting('METRICS_NAMES', '10', grammar.readInteger(0, 100)),
  logFormat: optional('LOG_FORMAT', grammar.readWord(logFormats)),
};

type Settings = typeof settings;

/** Which command reads the configuration: `dev` serves one developer's machine. */
export type ServerMode = 'start' | 'dev';

/** Every setting, frozen. Names contain the units; `null` is a value that is computed elsewhere. */
export type Config = {
  readonly [Name in keyof Settings]: z.output<Settings[Name]['schema']>;
} & {
  /** True under `stepwell dev`: credentials are public, and mistakes are reported early. */
  readonly isDevelopment: boolean;
  /** Where spans and metrics are sent; null = nowhere. */
  readonly telemetry: TelemetrySettings | null;
};

/** Defaults that differ in a mode, written as in the environment variables. */
const defaultsOf: Readonly<Record<ServerMode, Partial<Record<keyof Settings, string>>>> = {
  start: {},
  dev: { dialect: 'upstash' },
};

/** One line of `stepwell config`. */
export interface SettingOrigin {
  readonly name: keyof Settings;
  readonly variable: string;
  readonly isSecret: boolean;
  readonly source: Source;
  /** As written in the environment; null if nothing was given. */
  readonly text: string | null;
}

/** A configuration, and where each of its values came from. */
export interface Configuration {
  readonly config: Config;
  readonly origins: readonly SettingOrigin[];
}

/** The environment cannot be understood: exit code 64, one line per problem. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Settings from the command line, written as in the variables, over which they take precedence. */
type GivenSettings = Partial<Readonly<Record<keyof Settings, string>>>;

/** Reads the configuration of a server in `mode`. Throws `ConfigurationError`. */
export function readConfiguration(
  environment: Environment = process.env,
  mode: ServerMode = 'start',
  options: GivenSettings = {},
): Configuration {
  const problems = unknownNames(environment);
  const values: Record<string, unknown> = { isDevelopment: mode === 'dev' };
  const origins: SettingOrigin[] = [];
  for (const name of keysOf(settings)) {
    const { variable, schema, standard, isSecret } = settings[name];
    const given = options[name] ?? environment[variable];
    const text = given ?? defaultsOf[mode][name] ?? standard;
    const source = given === undefined ? 'default' : sourceOf(options[name]);
    origins.push({ name, variable, isSecret, source, text });
    const result = schema.safeParse(text);
    if (result.success) values[name] = result.data;
    else
      problems.push(`${variable} ${result.error.issues.map(({ message }) => message).join('; ')}`);
  }
  const telemetry = readTelemetry(environment);
  if (telemetry.ok) values['telemetry'] = telemetry.value;
  else problems.push(...telemetry.message.split('\n'));
  // Every setting was read, or there is a problem.
  const config = values as Config;
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { config: Object.freeze(config), origins };
}

function sourceOf(option: string | undefined): Source {
  return option === undefined ? 'environment' : 'option';
}

/** How this process was started; not a setting of the server. */
export interface Launch {
  /** Threads for file operations; Node reads the number before any code runs. */
  readonly threadPoolSize: number;
  /** npm or npx is between this process and what started it. */
  readonly isUnderNpm: boolean;
}

/** The number of threads that libuv creates if the environment does not say. */
const threadPoolSizeDefault = '4';

/**
 * What the process must know about its launch before its settings are read. Never fails: a thread
 * pool size that is not a number becomes NaN.
 */
export function readLaunch(): Launch {
  return {
    threadPoolSize: Number(process.env['UV_THREADPOOL_SIZE'] ?? threadPoolSizeDefault),
    isUnderNpm: process.env['npm_command'] !== undefined,
  };
}

/** Whether only programs on this machine can reach the listen address. */
export function listensOnLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/**
 * Networks that deliveries may reach beyond the public internet: those configured; otherwise the
 * developer's own machine and network, as long as no other machine can reach this server.
 */
export function allowedNetworks(config: Config): AllowedNetworks {
  if (config.allowNetworks !== null) return config.allowNetworks;
  const networks = listensOnLoopback(config.host) ? nearbyNetworks.split(',') : [];
  return { networks, hosts: [] };
}

/** Which origins' pages may read our answers; null if none may. */
export function allowedOrigins(config: Config): ((origin: string) => boolean) | null {
  const { corsOrigins } = config;
  if (corsOrigins === null) return config.isDevelopment ? isLoopbackOrigin : null;
  return corsOrigins.length === 0 ? null : (origin) => corsOrigins.includes(origin);
}

function isLoopbackOrigin(origin: string): boolean {
  const url = grammar.readOrigins(origin);
  if (!url.ok || url.value.length !== 1) return false;
  return listensOnLoopback(new URL(origin).hostname.replace(/^\[|\]$/g, ''));
}

/** Settings of client commands, which may be in the same shell as those of the server. */
const clientNames = ['STEPWELL_URL'];

/** Without this check, a misspelt setting would silently have no effect. */
function unknownNames(environment: Environment): string[] {
  const own = Object.values(settings).map(({ variable }) => variable);
  const known = new Set([...own, ...clientNames]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('STEPWELL_') && !known.has(name))
    .sort()
    .map((name) => `${name} is not a setting of Stepwell`);
}

function contradictions(config: Config): string[] {
  const problems: string[] = [];
  if (config.retries > config.retriesMax) {
    problems.push('STEPWELL_RETRIES is above STEPWELL_RETRIES_MAX');
  }
  if (config.maxBodyBytes > bodyBytesMax) {
    problems.push('STEPWELL_MAX_BODY is above 30mb, which is what one record can hold');
  }
  if (config.answerBytesMax > bodyBytesMax) {
    problems.push('STEPWELL_ANSWER_MAX is above 30mb, which is what one record can hold');
  }
  if (config.maxBatchBytes < config.maxBodyBytes) {
    problems.push('STEPWELL_MAX_BATCH is below STEPWELL_MAX_BODY');
  }
  const { dataDirectory, backupDirectory } = config;
  if (backupDirectory !== null && isWithin(dataDirectory, backupDirectory)) {
    problems.push('STEPWELL_BACKUP_DIR is in STEPWELL_DATA_DIR: a backup is kept elsewhere');
  }
  if (config.asOfMemoryBytes < asOfMemoryBytesMin) {
    problems.push('STEPWELL_AS_OF_MEMORY is below 128mb, which an empty server takes');
  }
  if (config.inFlightBytes < inFlightBytesMin) {
    problems.push('STEPWELL_IN_FLIGHT is below 32mb');
  } else if (config.inFlightBytes < 2 * config.maxBatchBytes) {
    problems.push('STEPWELL_IN_FLIGHT is below twice STEPWELL_MAX_BATCH');
  }
  return [...problems, ...cluster.clusterContradictions(config)];
}
