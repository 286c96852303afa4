/** Whether deliveries to a URL are allowed: by the server that runs, or as one would judge here. */
import { networkInterfaces } from 'node:os';
import { systemClock } from '../../engine/clock.js';
import { AddressGuard, dialledHost } from '../../messaging/outbound/address-guard.js';
import { NameResolver } from '../../messaging/outbound/name-resolver.js';
import { transportReason } from '../../messaging/outbound/transport-error.js';
import { allowedNetworks, type Config } from '../../server/configuration/config.js';
import type { ApiClient } from '../connect/api-client.js';
import { ApiRefusal } from '../connect/client-errors.js';
import { type Finding, fine, wrong } from './finding.js';

/** What both say (messaging.md 4.8). */
interface Verdict {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly addresses: readonly string[];
}

/** Behind a reason that a setting could change; the answer of a server says it in words alone. */
function hintFor(reason: string): string {
  return reason.includes('this server does not allow that network')
    ? '; STEPWELL_ALLOW_NETWORKS names what may be reached beyond the public internet'
    : '';
}

/** `isServed`: a server answers at the address of `api`, and judges. */
export async function checkUrl(
  text: string,
  config: Config,
  api: ApiClient,
  isServed: boolean,
): Promise<Finding> {
  if (!URL.canParse(text)) return wrong('destination', `${text} is not a URL`);
  const judge = isServed ? 'the server' : 'a server with these settings';
  try {
    const verdict = isServed
      ? await api.post<Verdict>('/admin/reach', { body: { url: text } })
      : await judged(new URL(text), config);
    const { allowed, reason = '', addresses } = verdict;
    const where = addresses.length === 0 ? '' : ` (${addresses.join(', ')})`;
    if (allowed) return fine('destination', `${judge} may call ${text}${where}`);
    return wrong('destination', `${judge} does not call ${text}: ${reason}${hintFor(reason)}`);
  } catch (error) {
    if (error instanceof ApiRefusal) return wrong('destination', error.message);
    throw error;
  }
}

async function judged(url: URL, config: Config): Promise<Verdict> {
  if (config.hostOverrides.has(dialledHost(url))) return { allowed: true, addresses: [] };
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const addressesOf = own.map(({ address }) => address);
  const guard = new AddressGuard(allowedNetworks(config), addressesOf);
  const refusal = guard.checkDestination(url);
  if (refusal !== null) return { allowed: false, reason: refusal.message, addresses: [] };
  try {
    const found = await new NameResolver(guard, systemClock).approved(dialledHost(url));
    return { allowed: true, addresses: found.map(({ address }) => address) };
  } catch (error) {
    const reason = error instanceof Error ? transportReason(error) : String(error);
    return { allowed: false, reason, addresses: [] };
  }
}
