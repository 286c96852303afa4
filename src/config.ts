/** The only reader of the environment: every setting of the process, checked once. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import * as grammar from './config-grammars.js';
import type { DialectName } from './http/dialect.js';
import type { Parsed } from './http/parsed.js';

/** Where a value came from. `file` and `generated` concern credentials only. */
export type Source = 'default' | 'environment' | 'file' | 'generated' | 'published';

/** The environment a configuration is read from: names to texts. */
export type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const dialectNames: readonly DialectName[] = ['svc', 'upstash'];

/** A body and what is said about it are one record of the journal; a record batch holds 32 MiB. */
const bodyBytesMax = 30 * 1024 * 1024;

/** Loopback and the private ranges: what a developer's own machine and network answer on. */
const nearbyNetworks = '127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7';

const settings = {
  host: setting('HOST', '127.0.0.1', grammar.readText),
  port: setting('PORT', '8080', grammar.readInteger(0, 65535)),
  dataDirectory: setting('DATA_DIR', './data', grammar.readText),
  tokens: generated('TOKEN', grammar.readTokens),
  readTokens: generated('READ_TOKEN', grammar.readTokens),
  restUsername: generated('REST_USERNAME', grammar.readUserName),
  restPassword: generated('REST_PASSWORD', grammar.readText),
  currentSigningKey: generated('CURRENT_SIGNING_KEY', grammar.readSigningKey),
  nextSigningKey: generated('NEXT_SIGNING_KEY', grammar.readSigningKey),
  dialect: setting('DIALECT', 'svc', grammar.readWord(dialectNames)),
  publicUrl: optional('PUBLIC_URL', grammar.readPublicUrl),
  fsync: setting('FSYNC', 'strict', grammar.readFsyncMode),
  allowNetworks: optional('ALLOW_NETWORKS', grammar.readAllowedNetworks),
  hostOverrides: setting('HOST_OVERRIDES', '', grammar.readHostOverrides),
  retries: setting('RETRIES', '3', grammar.readInteger(0, 1_000_000)),
  retriesMax: setting('RETRIES_MAX', '1000', grammar.readInteger(0, 1_000_000)),
  delayMaxMs: setting('DELAY_MAX', '1y', grammar.readDuration),
  timeoutMs: setting('TIMEOUT', '15m', grammar.readDuration),
  maxBodyBytes: setting('MAX_BODY', '10mb', grammar.readSize),
  maxBatchBytes: setting('MAX_BATCH', '16mb', grammar.readSize),
  globalParallelism: setting('GLOBAL_PARALLELISM', '1000', grammar.readInteger(1, 100_000)),
  originParallelism: setting('ORIGIN_PARALLELISM', '64', grammar.readInteger(1, 100_000)),
  logRetentionMs: setting('LOG_RETENTION', '7d', grammar.readDuration),
  deadLetterRetentionMs: setting('DLQ_RETENTION', '30d', grammar.readDuration),
  topicPartitions: setting('TOPIC_PARTITIONS', '3', grammar.readInteger(1, 1024)),
  topicRetentionMs: setting('TOPIC_RETENTION', '7d', grammar.readDuration),
  topicAutoCreate: setting('TOPIC_AUTO_CREATE', 'true', grammar.readBoolean),
  consumerIdleMs: setting('CONSUMER_IDLE', '5m', grammar.readDuration),
  groupRetentionMs: setting('GROUP_RETENTION', '7d', grammar.readDuration),
  logLevel: setting('LOG_LEVEL', 'info', grammar.readWord(logLevels)),
};

type Settings = typeof settings;

/** Every setting, frozen; units are in the names, `null` is a value that is made elsewhere. */
export type Config = {
  readonly [Name in keyof Settings]: z.output<Settings[Name]['schema']>;
};

/** One line of `stepwell config`. */
export interface Origin {
  readonly name: keyof Config;
  readonly variable: string;
  readonly isSecret: boolean;
  readonly source: Source;
  /** As it is written in the environment; null where nothing was given. */
  readonly text: string | null;
}

/** A configuration and where each of its values came from. */
export interface Configuration {
  readonly config: Config;
  readonly origins: readonly Origin[];
}

/** The environment cannot be understood: exit 64, one line per problem. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Reads the configuration. `standards` are defaults in the words of the variables that a command
 * puts in place of the usual ones (`dev` speaks `upstash`). Throws `ConfigurationError`.
 */
export function readConfiguration(
  environment: Environment = process.env,
  standards: Partial<Record<keyof Config, string>> = {},
): Configuration {
  const problems = unknownNames(environment);
  const values: Record<string, unknown> = {};
  const origins: Origin[] = [];
  for (const [key, { variable, schema, standard, isSecret }] of Object.entries(settings)) {
    const name = key as keyof Config;
    const given = environment[variable];
    const text = given ?? standards[name] ?? standard;
    const source = given === undefined ? 'default' : 'environment';
    origins.push({ name, variable, isSecret, source, text });
    const result = schema.safeParse(text);
    if (result.success) values[name] = result.data;
    else
      problems.push(`${variable} ${result.error.issues.map(({ message }) => message).join('; ')}`);
  }
  const config = values as Config;
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { config: Object.freeze(config), origins };
}

/** Whether only programs on this machine can reach the listen address. */
export function listensOnLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/**
 * What deliveries may reach beyond the public internet: what was configured, else the developer's
 * own machine and network as long as nobody else can reach this server.
 */
export function allowedNetworks(config: Config): grammar.AllowedNetworks {
  if (config.allowNetworks !== null) return config.allowNetworks;
  const networks = listensOnLoopback(config.host) ? nearbyNetworks.split(',') : [];
  return { networks, hosts: [] };
}

/** `standard` is in the words of the variable itself; null where the value is made elsewhere. */
function setting<Value>(name: string, standard: string, read: (text: string) => Parsed<Value>) {
  return { variable: `STEPWELL_${name}`, schema: schemaOf(read), standard, isSecret: false };
}

function optional<Value>(name: string, read: (text: string) => Parsed<Value>) {
  const schema = schemaOf(read).nullable();
  return { variable: `STEPWELL_${name}`, schema, standard: null, isSecret: false };
}

function generated<Value>(name: string, read: (text: string) => Parsed<Value>) {
  return { ...optional(name, read), isSecret: true };
}

function schemaOf<Value>(read: (text: string) => Parsed<Value>) {
  return z.string().transform((text, context): Value => {
    const result = read(text);
    if (result.ok) return result.value;
    context.addIssue(result.reason);
    return z.NEVER;
  });
}

/** A misspelt name would otherwise be a setting that silently does not apply. */
function unknownNames(environment: Environment): string[] {
  const known = new Set(Object.values(settings).map(({ variable }) => variable));
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
  if (config.maxBatchBytes < config.maxBodyBytes) {
    problems.push('STEPWELL_MAX_BATCH is below STEPWELL_MAX_BODY');
  }
  return problems;
}
