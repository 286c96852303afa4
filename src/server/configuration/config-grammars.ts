/**
 * The grammars of configuration values: each turns a text into a value or a reason for refusing it.
 */
import ipaddr from 'ipaddr.js';
import type { FsyncMode } from '../../../storage/disk/fsync-mode.js';
import { parseDuration } from '../../grammar/duration.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import type { AllowedNetworks, DialTarget } from '../../messaging/settings.js';

const hostNamePattern = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;
/**
 * URLs read such a host as an address, so no host has such a name (WHATWG URL, "ends in a number").
 */
const endsInNumber = /(^|\.)(\d+|0x[\da-f]*)$/i;
const byteUnits = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
  ['gb', 1024 ** 3],
]);

/** Any text that is not blank. */
export function readText(text: string): Result<string> {
  return text.trim() === '' ? refused('is empty') : ok(text);
}

/** A whole number of at least `least` and at most `most`. */
export function readInteger(least: number, most: number): (text: string) => Result<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? ok(value)
      : refused(`is not a whole number from ${least} to ${most}`);
  };
}

/** `true` or `false`. */
export function readBoolean(text: string): Result<boolean> {
  return text === 'true' || text === 'false'
    ? ok(text === 'true')
    : refused('is neither true nor false');
}

/** One of the given words. */
export function readWord<Word extends string>(
  words: readonly Word[],
): (text: string) => Result<Word> {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    return word === undefined ? refused(`is not one of ${words.join(', ')}`) : ok(word);
  };
}

/** `10mb`, `64kb`, `512`: bytes, in powers of 1024; at least 1 KiB and at most 1 GiB. */
export function readSize(text: string): Result<number> {
  const match = /^(\d{1,12})\s*([a-z]*)$/i.exec(text);
  const unit = byteUnits.get(match?.[2]?.toLowerCase() ?? 'none');
  if (match === null || unit === undefined) return refused('is not a size such as 10mb');
  const bytes = Number(match[1]) * unit;
  if (bytes < 1024 || bytes > 1024 ** 3) return refused('is not between 1kb and 1gb');
  return ok(bytes);
}

/** A size in bytes per second; `off` = 0. */
export function readRate(text: string): Result<number> {
  return text === 'off' ? ok(0) : readSize(text);
}

/** A size in bytes; `off` = infinity. */
export function readSnapshotEvery(text: string): Result<number> {
  return text === 'off' ? ok(Number.POSITIVE_INFINITY) : readSize(text);
}

/** A duration longer than zero, in milliseconds. */
export function readDuration(text: string): Result<number> {
  const duration = parseDuration(text);
  return duration.ok && duration.value <= 0 ? refused('must be longer than zero') : duration;
}

/** A duration within bounds, in milliseconds; `words` names the bounds to a reader. */
export const readDurationFrom =
  (least: number, most: number, words: string) =>
  (text: string): Result<number> => {
    const duration = readDuration(text);
    const isWithin = duration.ok && duration.value >= least && duration.value <= most;
    return !duration.ok || isWithin ? duration : refused(`is not a duration from ${words}`);
  };

/** `strict`, `interval:<ms>` or `os`. */
export function readFsyncMode(text: string): Result<FsyncMode> {
  if (text === 'strict' || text === 'os') return ok(text);
  const interval = /^interval:(\d{1,6})$/.exec(text);
  const intervalMs = Number(interval?.[1] ?? 0);
  if (intervalMs > 0) return ok({ intervalMs });
  return refused('is not one of strict, interval:<ms>, os');
}

/** Bearer tokens, comma separated; each must fit into an `Authorization` header. */
export function readTokens(text: string): Result<readonly string[]> {
  const tokens = listOf(text);
  if (tokens.length === 0) return refused('holds no token');
  if (tokens.every((token) => /^[\x21-\x7e]{1,1024}$/.test(token))) return ok(tokens);
  return refused('holds a token with blanks or characters outside ASCII');
}

/** A Basic user name; it must not contain a colon, which would end it (RFC 7617). */
export function readUserName(text: string): Result<string> {
  return text.includes(':') ? refused('holds a colon') : readText(text);
}

/** An HMAC secret. */
export function readSigningKey(text: string): Result<string> {
  return /^[\x21-\x7e]{8,1024}$/.test(text)
    ? ok(text)
    : refused('is not a key of at least 8 visible ASCII characters');
}

/** The secret that the nodes of a cluster share; it grants access to everything that they have. */
export function readSharedSecret(text: string): Result<string> {
  return /^[\x21-\x7e]{16,1024}$/.test(text)
    ? ok(text)
    : refused('is not a secret of at least 16 visible ASCII characters');
}

/**
 * The address that others use for this server: an absolute http(s) URL, kept without trailing
 * slashes.
 */
export function readPublicUrl(text: string): Result<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return refused('is not an http or https URL');
  }
  const { username, password, search, hash } = url;
  if (`${username}${password}${search}${hash}` !== '') {
    return refused('holds more than scheme, host, port and path');
  }
  return ok(url.href.replace(/\/+$/, ''));
}

/** Origins of web pages, comma separated; browsers spell them `https://app.example.com`. */
export function readOrigins(text: string): Result<readonly string[]> {
  const origins: string[] = [];
  for (const item of listOf(text)) {
    const url = URL.canParse(item) ? new URL(item) : undefined;
    const isOrigin = url !== undefined && `${url.origin}/` === url.href;
    if (!isOrigin || !/^https?:$/.test(url.protocol)) {
      return refused(`holds "${item}", which is not <scheme>://<host>[:<port>] of a web page`);
    }
    origins.push(url.origin);
  }
  return ok(origins);
}

/** CIDRs and single addresses, comma separated; returned as CIDRs. */
export function readNetworks(text: string): Result<readonly string[]> {
  const networks: string[] = [];
  for (const item of listOf(text)) {
    const network = networkOf(item);
    if (network === null) return refused(`holds "${item}", which is neither a CIDR nor an address`);
    networks.push(network);
  }
  return ok(networks);
}

/** CIDRs, single addresses and host names, comma separated. */
export function readAllowedNetworks(text: string): Result<AllowedNetworks> {
  const networks: string[] = [];
  const hosts: string[] = [];
  for (const item of listOf(text)) {
    const network = networkOf(item);
    if (network !== null) networks.push(network);
    else if (hostNamePattern.test(item) && !endsInNumber.test(item)) hosts.push(item.toLowerCase());
    else return refused(`holds "${item}", which is neither a CIDR, an address nor a host name`);
  }
  return ok({ networks, hosts });
}

/**
 * `example.com=127.0.0.1:9000,...`: maps a host in lower case to the target that is dialled
 * instead.
 */
export function readHostOverrides(text: string): Result<ReadonlyMap<string, DialTarget>> {
  const overrides = new Map<string, DialTarget>();
  for (const item of listOf(text)) {
    const match = /^([^=]+)=(\[[^\]]+\]|[^:=[\]]+):(\d{1,5})$/.exec(item);
    const host = match?.[1]?.toLowerCase() ?? '';
    const target = match?.[2] ?? '';
    const hostname = target.replace(/^\[|\]$/g, '');
    const port = Number(match?.[3] ?? 0);
    const isTarget = target.startsWith('[')
      ? ipaddr.IPv6.isValid(hostname)
      : hostNamePattern.test(hostname);
    if (!hostNamePattern.test(host) || !isTarget || port < 1 || port > 65535) {
      return refused(`holds "${item}", which is not <host>=<address>:<port>`);
    }
    if (overrides.has(host)) return refused(`names ${host} twice`);
    overrides.set(host, { hostname, port });
  }
  return ok(overrides);
}

/** The items of a list, comma separated. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/**
 * Returns a network as a CIDR; null if it is not written in full. `10/8` could be read as
 * 0.0.0.10/8, which includes this machine, and `127.1` is usually a typing error.
 */
function networkOf(item: string): string | null {
  const [address = '', bits] = item.split('/');
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isIpv4 && !ipaddr.IPv6.isValid(address)) return null;
  if (bits === undefined) return `${address}/${isIpv4 ? 32 : 128}`;
  return ipaddr.isValidCIDR(item) ? item : null;
}
