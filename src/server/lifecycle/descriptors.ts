/**
 * Divides the files that the process may open (RLIMIT_NOFILE). The store comes first, as the
 * process ends if it cannot open a file; incoming and outgoing connections share the rest.
 */
import { readNow } from '../../../storage/disk/node-disk.js';
import { type Config, ConfigurationError } from '../configuration/config.js';

/** How many files each part of the server may use. */
export interface DescriptorShares {
  /** How many files the process may open; infinite if the platform sets no limit. */
  readonly limit: number;
  /** Incoming connections. */
  readonly connections: number;
  /** How many of them may come from one address. */
  readonly connectionsPerAddress: number;
  /** Delivery attempts in flight. */
  readonly attempts: number;
}

/** For the event loop, its threads, the log, listening sockets, and the spare connections. */
const ownFiles = 128;

/** For segments that are read and the ends of logs that are written: so many are kept open. */
const storeFilesMin = 384;

/**
 * If the limit is high, the store gets a quarter of it, so that topics may have as many partitions.
 */
const storeShare = 1 / 4;

const connectionsMin = 64;
const attemptsMin = 32;

/** The connection that an attempt uses, and one that is kept for the next. */
const filesOfAttempt = 2;

/** The lowest limit that a server can run with. */
const limitMin = ownFiles + storeFilesMin + connectionsMin + filesOfAttempt * attemptsMin;

let knownLimit: number | null = null;

/** Where Linux lists the limits of a process: name, soft, hard, unit. */
const limitsFile = '/proc/self/limits';

/** How many files this process may open: Node has raised the soft limit to the hard one. */
export function descriptorLimit(): number {
  knownLimit ??= limitIn(limitsFile) ?? reportedLimit();
  return knownLimit;
}

/** null if the file does not contain the limit. */
function limitIn(path: string): number | null {
  try {
    const soft = /^Max open files +(\d+|unlimited) /m.exec(readNow(path))?.[1];
    if (soft === undefined) return null;
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return null;
  }
}

/** The limit as Node.js reports it, which takes some 20 ms. */
function reportedLimit(): number {
  const report: object = process.report;
  // Without this, older versions of Node would look up the names of network peers.
  Object.assign(report, { excludeNetwork: true });
  // A report includes the stack of an error; an empty stack avoids looking up source lines.
  const error = Object.assign(new Error('the limits are asked for'), { stack: '' });
  // Node types the report as an object; on some systems it has no limits.
  const { userLimits } = process.report.getReport(error) as {
    readonly userLimits?: { readonly open_files?: { readonly soft: unknown } };
  };
  const limit = Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY);
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
}

/**
 * Divides `limit` files; lowers configured values that do not fit. Throws `ConfigurationError` if
 * too few are left for a server.
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

/** 0 for an infinite limit, so that the rest is infinite. */
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
