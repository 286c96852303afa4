/**
 * How the files that the process may open (RLIMIT_NOFILE) are divided: the store comes first, as a
 * file that it cannot open ends the process; connections in and out share what is left.
 */
import { readNow } from '../../../storage/disk/node-disk.js';
import { type Config, ConfigurationError } from '../configuration/config.js';

/** Who may hold how many. */
export interface DescriptorShares {
  /** Files that the process may open; infinite where the platform sets no limit. */
  readonly limit: number;
  /** Connections in. */
  readonly connections: number;
  /** Of them, from one address. */
  readonly connectionsPerAddress: number;
  /** Attempts to deliver at once. */
  readonly attempts: number;
}

/** The event loop, its threads, the log, listening sockets, and the spare connections. */
const ownFiles = 128;

/** Segments that are read (256 are kept open) and the ends of the logs that are written. */
const storeFilesMin = 384;

/** Where there are many, topics may have as many partitions as a quarter of them. */
const storeShare = 1 / 4;

const connectionsMin = 64;
const attemptsMin = 32;

/** The connection that an attempt uses, and one that is kept for the next. */
const filesOfAttempt = 2;

/** What the process may open at least. */
const limitMin = ownFiles + storeFilesMin + connectionsMin + filesOfAttempt * attemptsMin;

let knownLimit: number | null = null;

/** Where Linux tells the limits of a process: name, soft, hard, unit. */
const limitsFile = '/proc/self/limits';

/** The files that this process may open: Node has raised the soft limit to the hard one. */
export function descriptorLimit(): number {
  knownLimit ??= limitIn(limitsFile) ?? reportedLimit();
  return knownLimit;
}

/** null where the file does not say it. */
function limitIn(path: string): number | null {
  try {
    const soft = /^Max open files +(\d+|unlimited) /m.exec(readNow(path))?.[1];
    if (soft === undefined) return null;
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return null;
  }
}

/** As Node.js reports it, which takes some 20 ms. */
function reportedLimit(): number {
  const report: object = process.report;
  // Otherwise it would look up the names of its peers; older versions of Node do.
  Object.assign(report, { excludeNetwork: true });
  // A report shows the stack of an error: without one no lines of sources are looked up.
  const error = Object.assign(new Error('the limits are asked for'), { stack: '' });
  // Node types it as an object; on some systems it has no limits.
  const { userLimits } = process.report.getReport(error) as {
    readonly userLimits?: { readonly open_files?: { readonly soft: unknown } };
  };
  const limit = Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY);
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
}

/**
 * Divides `limit` files. What is configured is lowered where it does not fit. Throws
 * `ConfigurationError` where too few are left for a server.
 */
export function shareDescriptors(limit: number, config: Config): DescriptorShares {
  if (limit < limitMin) {
    throw new ConfigurationError([
      `this process may open ${limit} files (ulimit -n) and needs at least ${limitMin}`,
    ]);
  }
  const rest = limit - ownFiles - storeFilesOf(limit);
  const attempts = Math.min(config.globalParallelism, Math.floor(rest / (2 * filesOfAttempt)));
  const connections = Math.min(config.connectionsMax, rest - filesOfAttempt * attempts);
  const perAddress = config.connectionsPerAddress ?? Math.ceil(connections / 2);
  return {
    limit,
    connections,
    connectionsPerAddress: Math.min(perAddress, connections),
    attempts,
  };
}

/** An infinite limit leaves an infinite rest. */
function storeFilesOf(limit: number): number {
  return Number.isFinite(limit) ? Math.max(storeFilesMin, Math.floor(limit * storeShare)) : 0;
}

/** The shares in one line for the operator. */
export function sharesLine(shares: DescriptorShares, config: Config): string {
  const { limit, connections, connectionsPerAddress, attempts } = shares;
  const isLowered = connections < config.connectionsMax || attempts < config.globalParallelism;
  return (
    `at most ${connections} connections, ${connectionsPerAddress} of them from one address, and ` +
    `${attempts} attempts at once; ` +
    `${Number.isFinite(limit) ? limit : 'any number of'} files may be open (ulimit -n)` +
    (isLowered ? ', which is too few for what is configured' : '')
  );
}
