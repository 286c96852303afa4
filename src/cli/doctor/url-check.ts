/**
 * Checks whether deliveries to a URL are allowed: asks the running server, or else judges as a
 * server here would.
 */
import { networkInterfaces } from 'node:os';
import { systemClock } from '../../engine/clock.js';
import { AddressGuard, dialledHost, settingOf } from '../../messaging/outbound/address-guard.js';
import { NameResolver } from '../../messaging/outbound/name-resolver.js';
import { DestinationRefused, transportReason } from '../../messaging/outbound/transport-error.js';
import { allowedNetworks, type Config } from '../../server/configuration/config.js';
import type { ApiClient } from '../connect/api-client.js';
import { ApiRefusal } from '../connect/client-errors.js';
import { type Finding, fine, wrong } from './finding.js';

/** The result of either way (messaging.md 4.8). */
interface Verdict {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly setting?: string | undefined;
  readonly addresses: readonly string[];
}

/** Appended to a reason that a setting could change. */
function hintFor(setting: string | undefined): string {
  return setting === undefined
    ? ''
    : `; ${setting} names what may be reached beyond the public internet`;
}

/** `isServed`: a server answers at the address of `api`, so it is asked for its judgement. */
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
    const { allowed, reason = '', setting, addresses } = verdict;
    const where = addresses.length === 0 ? '' : ` (${addresses.join(', ')})`;
    if (allowed) return fine('destination', `${judge} may call ${text}${where}`);
    return wrong('destination', `${judge} does not call ${text}: ${reason}${hintFor(setting)}`);
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
  if (refusal !== null) {
    const setting = settingOf(refusal);
    return { allowed: false, reason: refusal.message, setting, addresses: [] };
  }
  try {
    const found = await new NameResolver(guard, systemClock).approved(dialledHost(url));
    return { allowed: true, addresses: found.map(({ address }) => address) };
  } catch (error) {
    const reason = error instanceof Error ? transportReason(error) : String(error);
    const setting = error instanceof DestinationRefused ? error.setting : undefined;
    return { allowed: false, reason, setting, addresses: [] };
  }
}
