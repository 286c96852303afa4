/** Checks what a server needs of this machine: Node.js, threads, files. */
import { type Config, ConfigurationError, readLaunch } from '../../server/configuration/config.js';
import {
  descriptorLimit,
  shareDescriptors,
  sharesLine,
} from '../../server/lifecycle/descriptors.js';
import { doubt, type Finding, fine, wrong } from './finding.js';

/** The lowest minor version of each Node.js release line that the package allows (`engines`). */
export const leastMinors: ReadonlyMap<number, number> = new Map([
  [20, 19],
  [22, 12],
  [24, 0],
]);

/** `version` is in the format of `process.versions.node`. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const least = leastMinors.get(major);
  if (least !== undefined && minor >= least) return fine('Node.js', version);
  const known = [...leastMinors].map(([line, from]) => `${line}.${from}`).join(', ');
  const said = `${version} is not a tested version: those are ${known} and later`;
  return least === undefined && major > 20 ? doubt('Node.js', said) : wrong('Node.js', said);
}

const threadsMin = 8;

/**
 * Checks the thread pool of this process, as a server would be launched with the same size. With
 * few threads, commits wait behind DNS lookups.
 */
export function checkThreads(): Finding {
  const { threadPoolSize } = readLaunch();
  const said = `${threadPoolSize} threads for file operations`;
  if (threadPoolSize >= threadsMin) return fine('threads', said);
  return doubt('threads', `${said}, which is few: set UV_THREADPOOL_SIZE=16`);
}

/** How many files may be open, and how a server would divide them. */
export function checkFiles(config: Config): Finding {
  try {
    const shares = shareDescriptors(descriptorLimit(), config);
    const { connections, attempts } = shares;
    const isLowered = connections < config.connectionsMax || attempts < config.globalParallelism;
    return (isLowered ? doubt : fine)('files', sharesLine(shares, config));
  } catch (error) {
    if (error instanceof ConfigurationError) return wrong('files', error.message);
    throw error;
  }
}
