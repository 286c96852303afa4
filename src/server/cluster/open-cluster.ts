/** Creates a cluster node from the settings. */

import type { Logger } from 'pino';
import { SharedLogUnavailable } from '../../cluster/cluster-errors.js';
import type { CommitLog } from '../../cluster/commit-log.js';
import type { Clock } from '../../engine/clock.js';
import { type ClusterSettings, nodeUrl } from '../configuration/cluster-settings.js';
import { ConfigurationError } from '../configuration/config.js';
import { Cluster } from './cluster.js';
import type { ClusterOptions } from './cluster-options.js';

/** Everything shared is in one shard of the log. */
const shard = 'main';

/** Null if no log is shared. `given` replaces the log that the settings name. */
export async function openCluster(
  settings: ClusterSettings & { readonly commitLogRetentionMs: number },
  ports: Omit<ClusterOptions, 'url' | 'log' | 'secret' | 'retentionMs'>,
  given?: CommitLog,
): Promise<Cluster | null> {
  const { commitLog, clusterSecret, commitLogRetentionMs: retentionMs } = settings;
  if (commitLog === null) return null;
  const log = given ?? (await openCommitLog(commitLog, complaints(ports.clock, ports.logger)));
  const secret = clusterSecret ?? '';
  return new Cluster({ ...ports, url: nodeUrl(settings), log, secret, retentionMs });
}

async function openCommitLog(
  urls: readonly string[],
  onError: (error: unknown) => void,
): Promise<CommitLog> {
  const [url = ''] = urls;
  if (url.startsWith('kafka:')) {
    const { openTopic } = await import('./kafka.part.js');
    return openTopic(url, onError).catch((error: unknown) => {
      throw startError(error);
    });
  }
  const { openPostgresLog } = await import('./postgres.part.js');
  return openPostgresLog({ urls, shard, onError });
}

/**
 * Recognises errors by name, as the code that throws them is bundled separately with its own copies
 * of the classes.
 */
function startError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = `STEPWELL_COMMIT_LOG: ${error.message}`;
  if (error.name === 'KafkaTopicUnfit') return new ConfigurationError([message]);
  if (error.name !== 'KafkaUnavailable') return error;
  return new SharedLogUnavailable(message, { cause: error });
}

/**
 * An unreachable engine fails many times a second, so its errors are logged only at this interval.
 */
const complaintsApartMs = 10_000;

function complaints(clock: Clock, logger: Logger): (error: unknown) => void {
  let nextAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = clock.monotonic();
    if (now < nextAt) return;
    nextAt = now + complaintsApartMs;
    logger.warn(
      { err: error },
      'the shared log does not answer; until it does, new work is not accepted',
    );
  };
}
