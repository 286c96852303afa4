/**
 * Opens connections to destinations: only to approved addresses, or to the target of an operator's
 * override. Every pooled connection was opened here.
 */

import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { DialTarget } from '../settings.js';
import type { AddressGuard } from './address-guard.js';
import { onread } from './connection.js';
import type { NameResolver } from './name-resolver.js';
import { DestinationRefused } from './transport-error.js';

/** Timeout in ms for name resolution, connection and TLS together. */
const timeout = 5000;

/**
 * How long one address of a name may take in ms before the next one is tried; Node gives up an
 * address that it leaves. In Node's 250 ms no far destination answers, and none whose first packet
 * is lost, which is sent again after a second: then all depends on the last address, and a machine
 * without IPv6 cannot reach that of a destination that has one.
 */
const addressTimeout = 1500;

/**
 * An undici connector. Its errors are `DestinationRefused` or those of the socket, whose `data` is
 * valid only during the event. `overrides` are keyed by host name in lower case; their targets are
 * not checked, because the operator named them.
 */
export function guardedConnector(
  guard: AddressGuard,
  resolver: NameResolver,
  overrides: ReadonlyMap<string, DialTarget>,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, _options, callback) => {
    resolver.approved(hostname).then(
      (addresses) => callback(null, [...addresses]),
      (error: Error) => callback(error, []),
    );
  };
  // autoSelectFamily makes Node call `lookup` for all addresses and try them in turn.
  const options = {
    timeout,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeout,
    onread,
  };
  const guarded = buildConnector({ ...options, lookup });
  const direct = buildConnector(options);
  return (target, callback) => {
    const host = target.hostname.replace(/\.$/, '');
    const override = overrides.get(host);
    if (override !== undefined) {
      const { hostname, port } = override;
      direct({ ...target, hostname, port: String(port) }, callback);
      return;
    }
    // Node never calls `lookup` with a literal address.
    const literal = isIP(host) === 0 ? null : guard.checkAddress(host, host);
    if (literal !== null) {
      const refusal = new DestinationRefused(literal.message);
      queueMicrotask(() => callback(refusal, null));
      return;
    }
    guarded(target, (...opened) => {
      const [error, socket] = opened;
      if (error !== null) return callback(error, null);
      const { remoteAddress } = socket;
      if (remoteAddress === undefined) {
        socket.destroy();
        return callback(wasReset(), null);
      }
      // Whatever was looked up, check the address that was reached, before anything is sent.
      const refusal = guard.checkAddress(remoteAddress, host);
      if (refusal === null) return callback(null, socket);
      socket.destroy();
      callback(new DestinationRefused(refusal.message), null);
    });
  };
}

/** The error of a connection that was reset while it opened: the system forgets its address. */
function wasReset(): Error {
  return Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' });
}
