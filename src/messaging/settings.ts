/** What of the server's configuration decides how messages are taken in and delivered. */
import type { DialectName } from '../http/dialect.js';
import type { DurabilitySettings } from '../http/durability.js';

/** What deliveries may reach beyond the public internet. */
export interface AllowedNetworks {
  /** Address ranges in CIDR notation. */
  readonly networks: readonly string[];
  /** Host names in lower case, whatever they resolve to (metadata and link-local excepted). */
  readonly hosts: readonly string[];
}

/** Dialled instead of a host; requests, signatures and records keep the original. */
export interface DialTarget {
  readonly hostname: string;
  readonly port: number;
}

/** Units are in the names: bytes, and milliseconds. */
export interface MessagingSettings extends DurabilitySettings {
  /** The dialect of requests whose headers do not say, and of deliveries. */
  readonly dialect: DialectName;
  /** Retries of a message that does not say how many, and the most that one may have. */
  readonly retries: number;
  readonly retriesMax: number;
  readonly delayMaxMs: number;
  /** The time that one attempt may take. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly maxBatchBytes: number;
  /** What is stored of the answer to an attempt. */
  readonly answerBytesMax: number;
  /** Attempts at once: of all, and to one origin. */
  readonly globalParallelism: number;
  readonly originParallelism: number;
  /** What deliveries may reach beyond the public internet. */
  readonly allowedNetworks: AllowedNetworks;
  /** By host name in lower case: the address and port that are dialled in its place. */
  readonly hostOverrides: ReadonlyMap<string, DialTarget>;
  readonly logRetentionMs: number;
  readonly deadLetterRetentionMs: number;
  /** So many queues are named in metrics. */
  readonly metricsNamesMax: number;
  /** True under `stepwell dev`, where an option that looks misspelt is refused. */
  readonly isDevelopment: boolean;
}
