/** Why the port cannot be opened, in one sentence that names the setting to change. */
import { ConfigurationError } from '../configuration/config.js';

/** Another program listens on the port. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';

  constructor(host: string, port: number, cause: unknown) {
    super(
      `port ${port} of ${host} is in use by another program; set STEPWELL_PORT to a free one, ` +
        'or to 0 for any',
      { cause },
    );
  }
}

/** Converts what `listen` threw into an error of ours if a setting can fix it. */
export function listenError(host: string, port: number, cause: unknown): unknown {
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'EADDRINUSE':
      return new PortInUse(host, port, cause);
    case 'EACCES':
      return new ConfigurationError([`STEPWELL_PORT ${port} may not be opened by this user`]);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigurationError([`STEPWELL_HOST ${host} is not an address of this machine`]);
    default:
      return cause;
  }
}
