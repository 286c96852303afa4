/** The settings of a cluster node: how they are written, and which of them need each other. */

import ipaddr from 'ipaddr.js';
import type { FsyncMode } from '../../../storage/disk/fsync-mode.js';
import { KafkaUrlInvalid, parseKafkaUrl } from '../../cluster/kafka/kafka-url.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { originOf } from '../../http/listening-port.js';
import type { DialTarget } from '../../messaging/settings.js';
import { listOf, readPublicUrl } from './config-grammars.js';

/** The settings that make a server a node of a cluster; all null if it is not one. */
export interface ClusterSettings {
  /**
   * URLs of the log that nodes share: the servers of one PostgreSQL installation, or one Kafka
   * topic.
   */
  readonly commitLog: readonly string[] | null;
  /** The address on which this node listens for other nodes. */
  readonly clusterListen: DialTarget | null;
  /** The URL by which other nodes reach this one, if it differs from that address. */
  readonly clusterUrl: string | null;
  /** The secret with which nodes sign the requests that they forward. */
  readonly clusterSecret: string | null;
}

/** Settings that must be the same on all nodes of a cluster. */
interface SharedSettings {
  readonly isDevelopment: boolean;
  readonly fsync: FsyncMode;
  /** Nodes compare their states by the digests that are written with snapshots. */
  readonly snapshotEveryBytes: number;
  readonly tokens: unknown;
  readonly restUsername: unknown;
  readonly restPassword: unknown;
  readonly currentSigningKey: unknown;
  readonly nextSigningKey: unknown;
}

/**
 * One or more `postgres://...` URLs, one for each server, comma separated; or one `kafka://...`
 * URL.
 */
export function readCommitLog(text: string): Result<readonly string[]> {
  // All brokers of a log are in one URL, separated by commas.
  if (text.trim().startsWith('kafka://')) return readTopicUrl(text.trim());
  const urls = listOf(text);
  return urls.length > 0 && urls.every((url) => /^postgres(?:ql)?:\/\/./.test(url))
    ? ok(urls)
    : refused('is not postgres://..., with one URL for each server, nor kafka://...');
}

function readTopicUrl(url: string): Result<readonly string[]> {
  try {
    parseKafkaUrl(url);
    return ok([url]);
  } catch (error) {
    if (!(error instanceof KafkaUrlInvalid)) throw error;
    return refused(`names no topic of Kafka: ${error.message}`);
  }
}

/** Where to listen: `10.0.0.1:7070` or `[::1]:7070`. */
export function readHostAndPort(text: string): Result<DialTarget> {
  const match = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5})$/.exec(text);
  const hostname = (match?.[1] ?? '').replace(/^\[|\]$/g, '');
  const port = Number(match?.[2] ?? Number.NaN);
  const isHost = ipaddr.isValid(hostname) || /^[a-z0-9.-]+$/i.test(hostname);
  return isHost && port >= 1 && port <= 65535
    ? ok({ hostname, port })
    : refused('is not <address>:<port>');
}

/** The scheme, host and port of another server: `http://10.0.0.1:7070`. */
export function readOrigin(text: string): Result<string> {
  const url = readPublicUrl(text);
  return !url.ok || new URL(url.value).pathname === '/' ? url : refused('holds a path');
}

/**
 * Checks that nodes can share a log, find each other, authenticate each other, and know the same
 * credentials.
 */
export function clusterContradictions(config: ClusterSettings & SharedSettings): string[] {
  const { commitLog, clusterListen, clusterSecret, clusterUrl } = config;
  if (commitLog === null) {
    const isGiven = clusterListen !== null || clusterSecret !== null || clusterUrl !== null;
    return isGiven ? ['STEPWELL_CLUSTER_... is given without STEPWELL_COMMIT_LOG'] : [];
  }
  const problems: string[] = [];
  if (config.isDevelopment) problems.push('STEPWELL_COMMIT_LOG is a setting of start, not of dev');
  if (config.fsync !== 'strict') problems.push('STEPWELL_COMMIT_LOG needs STEPWELL_FSYNC=strict');
  if (config.snapshotEveryBytes === Number.POSITIVE_INFINITY) {
    problems.push('STEPWELL_COMMIT_LOG needs snapshots: STEPWELL_SNAPSHOT_EVERY is off');
  }
  const needed = {
    STEPWELL_CLUSTER_LISTEN: clusterListen,
    STEPWELL_CLUSTER_SECRET: clusterSecret,
    STEPWELL_TOKEN: config.tokens,
    STEPWELL_REST_USERNAME: config.restUsername,
    STEPWELL_REST_PASSWORD: config.restPassword,
    STEPWELL_CURRENT_SIGNING_KEY: config.currentSigningKey,
    STEPWELL_NEXT_SIGNING_KEY: config.nextSigningKey,
  };
  for (const [variable, value] of Object.entries(needed)) {
    if (value === null) problems.push(`STEPWELL_COMMIT_LOG needs ${variable}, alike on all nodes`);
  }
  return problems;
}

/** The URL by which other nodes reach this one. */
export function nodeUrl({ clusterListen, clusterUrl }: ClusterSettings): string {
  if (clusterUrl !== null) return clusterUrl;
  const { hostname = '', port = 0 } = clusterListen ?? {};
  return originOf(hostname, port);
}
