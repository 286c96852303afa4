/**
 * What `start` and `dev` have in common: build the server, announce it, end on a signal, and exit
 * if an invariant breaks.
 */
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { type Clock, systemClock } from '../engine/clock.js';
import { systemIdentifiers } from '../engine/identifiers.js';
import type { OutboundPorts } from '../messaging/outbound/outbound.module.js';
import { type Application, createApplication } from '../server/application.js';
import {
  allowedNetworks,
  type Config,
  type Configuration,
  readLaunch,
  type Source,
} from '../server/configuration/config.js';
import { shownSettings } from '../server/configuration/shown-settings.js';
import type { OpenedCredentials } from '../server/credentials/credentials.js';
import { descriptorLimit, sharesLine } from '../server/lifecycle/descriptors.js';
import { exitCodeOf } from '../server/lifecycle/exit-code-of.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { noteFatalExit } from '../server/lifecycle/fatal-exits.js';
import { forgetAddress, keepAddress } from '../server/lifecycle/kept-address.js';
import { createLog, type LogFormat, logDestination } from '../server/logging/log.js';
import { readBuild } from './build.js';
import { say } from './output/terminal.js';
import { followParent } from './parent-process.js';

/** Where the build puts the console. */
const consoleFolder = fileURLToPath(new URL('../../console', import.meta.url));

/** Differences from the usual server. */
export interface ServeOptions extends OutboundPorts {
  /** Without it, the machine's clock. */
  readonly clock?: Clock;
  /** Makes lines for standard output from the URL that the server listens at. */
  readonly introduction?: (url: string) => readonly string[];
}

/** Runs the server until a signal ends it. Rejects if it cannot start. */
export async function serve(
  { config, origins }: Configuration,
  opened: OpenedCredentials,
  { clock = systemClock, introduction = () => [], ...outbound }: ServeOptions = {},
): Promise<void> {
  const { credentials } = opened;
  const sourceOf: Readonly<Record<string, Source>> = opened.sources;
  const log = createLog(config.logLevel, await logDestination(logFormatOf(config)));
  const fatal = (error: unknown): never => {
    noteFatalExit(config.dataDirectory, error, systemClock.now());
    log.fatal({ err: error }, 'the process cannot continue');
    process.exit(exitCodeOf(error));
  };
  // After an unexpected error, the state of the process is unknown: a restart is safer.
  process.on('uncaughtException', fatal);
  process.on('unhandledRejection', fatal);
  const build = await readBuild(nodeDisk);
  const application = await createApplication(config, credentials, {
    ...outbound,
    clock,
    identifiers: systemIdentifiers,
    disk: nodeDisk,
    descriptorLimit: descriptorLimit(),
    ...(build !== null && { build }),
    consoleFolder,
    settings: shownSettings(config, origins, (name) => sourceOf[name] ?? 'default'),
    log,
    fatal,
  });
  const { threadPoolSize, isUnderNpm } = readLaunch();
  const end = ending(application, config.dataDirectory);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
  if (isUnderNpm) followParent(systemClock, () => end('the end of npm'));
  if (threadPoolSize < threadPoolSizeMin) log.warn(smallThreadPool(threadPoolSize));
  for (const line of [...introduction(application.url), ...promises(config)]) say(line);
  say(sharesLine(application.shares, config));
  if (application.life.changesNothing === null) {
    const kept = { url: application.url, dialect: config.dialect };
    await keepAddress(nodeDisk, config.dataDirectory, kept, publishedOf(opened)).catch((error) => {
      log.warn({ err: error }, 'client commands will not find this server through its data folder');
    });
  }
  // Launchers in the published clients wait for this line.
  say(`Stepwell is running at ${application.url}`);
}

/** What client commands may find in the data folder: only the public development credentials. */
function publishedOf({ credentials, sources }: OpenedCredentials) {
  const [token] = credentials.tokens;
  const { restUsername: username, restPassword: password } = credentials;
  const isPublished = sources.tokens === 'published' && sources.restPassword === 'published';
  return isPublished && token !== undefined ? { token, basic: { username, password } } : null;
}

/**
 * What the operator should know without asking: what an acknowledgement promises, and which
 * networks deliveries may reach.
 */
function promises(config: Config): string[] {
  const { networks, hosts } = allowedNetworks(config);
  const reachable = ['the public internet', ...networks, ...hosts];
  return [
    `an acknowledgement means: ${promiseOf(config)}`,
    `deliveries may reach: ${reachable.join(', ')}`,
  ];
}

/** The meaning of `Stepwell-Durability`, in words. */
function promiseOf({ fsync, commitLog }: Config): string {
  if (commitLog !== null) return 'in the shared log, and then on this disk (replicated)';
  if (fsync === 'strict') return 'on disk (fsync strict)';
  if (fsync === 'os') return 'handed to the operating system; a power cut may take it (fsync os)';
  return `on disk within ${fsync.intervalMs} ms; a power cut may take that much (fsync interval)`;
}

/** With fewer threads, a few slow fsyncs would block all other file operations. */
const threadPoolSizeMin = 8;

function smallThreadPool(size: number): string {
  return `the thread pool has only ${size} threads: set UV_THREADPOOL_SIZE=16, its default`;
}

/** Pretty lines if a person reads them on a terminal, unless the configuration sets the format. */
function logFormatOf({ logFormat, isDevelopment }: Config): LogFormat {
  if (logFormat !== null) return logFormat;
  return isDevelopment || process.stderr.isTTY === true ? 'pretty' : 'json';
}

/** Under npm, Ctrl-C reaches the server twice: from the terminal, and from npm. */
const sameRequestMs = 1000;

/** The first signal drains the server; a later one ends it at once. */
function ending(application: Application, folder: string): (reason: string) => Promise<void> {
  let firstAt: number | null = null;
  const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
  return async (reason) => {
    const now = systemClock.monotonic();
    if (firstAt !== null) {
      if (now - firstAt > sameRequestMs) process.exit(exitCodes.failure);
      return;
    }
    firstAt = now;
    const isClean = await application.stop(reason);
    if (application.life.changesNothing === null) await forgetAddress(nodeDisk, folder);
    // Node.js 20 aborts if it exits after its terminal is gone, so let the signal itself end the
    // process.
    if (reason === 'SIGHUP' && hasTerminal) {
      process.removeAllListeners(reason);
      process.kill(process.pid, reason);
    } else {
      process.exit(isClean ? exitCodes.fine : exitCodes.failure);
    }
  };
}
