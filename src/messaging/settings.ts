/** The part of the configuration that controls how messages are accepted and delivered. */
import type { DialectName } from '../http/dialect.js';
import type { DurabilitySettings } from '../http/durability.js';

/** Networks that deliveries may reach beyond the public internet. */
export interface AllowedNetworks {
  /** Address ranges in CIDR notation. */
  readonly networks: readonly string[];
  /** Host names in lower case, whatever they resolve to (except metadata and link-local). */
  readonly hosts: readonly string[];
}

/** A target to dial instead of a host; requests, signatures and records keep the original host. */
export interface DialTarget {
  readonly hostname: string;
  readonly port: number;
}

/** The settings of messaging. Names end with their units: bytes or milliseconds. */
export interface MessagingSettings extends DurabilitySettings {
  /** The dialect of deliveries, and of requests whose headers do not name one. */
  readonly dialect: DialectName;
  /** Default number of retries of a message, and the most that it may ask for. */
  readonly retries: number;
  readonly retriesMax: number;
  readonly delayMaxMs: number;
  /** The longest time that one attempt may take. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly maxBatchBytes: number;
  /** How many bytes of the answer to an attempt are stored. */
  readonly answerBytesMax: number;
  /** Attempts in flight at once: in total, and to one origin. */
  readonly globalParallelism: number;
  readonly originParallelism: number;
  /** Networks that deliveries may reach beyond the public internet. */
  readonly allowedNetworks: AllowedNetworks;
  /** The address and port to dial instead of a host, by host name in lower case. */
  readonly hostOverrides: ReadonlyMap<string, DialTarget>;
  readonly logRetentionMs: number;
  readonly deadLetterRetentionMs: number;
  /** How many queues are named in metrics. */
  readonly metricsNamesMax: number;
  /** True under `stepwell dev`, where an option that looks misspelt is refused. */
  readonly isDevelopment: boolean;
}
