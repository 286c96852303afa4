/** Why the port cannot be opened, in one sentence that names the setting to change. */
import { ConfigurationError } from '../configuration/config.js';

/** Where a server is to listen. */
interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

/** The settings that say where it is to listen. */
export interface ListenSettings {
  readonly hostVariable: string;
  readonly portVariable: string;
  /** The end of the sentence if another program has the port. */
  readonly advice: string;
}

/** Another program listens on the port. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';

  constructor({ host, port }: ListenPlace, advice: string, cause: unknown) {
    super(`port ${port} of ${host} is in use by another program; ${advice}`, { cause });
  }
}

/** Converts what `listen` threw into an error of ours if a setting can fix it. */
export function listenError(
  place: ListenPlace,
  { hostVariable, portVariable, advice }: ListenSettings,
  cause: unknown,
): unknown {
  const { host, port } = place;
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'EADDRINUSE':
      return new PortInUse(place, advice, cause);
    case 'EACCES':
      return new ConfigurationError([`${portVariable} ${port} may not be opened by this user`]);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigurationError([`${hostVariable} ${host} is not an address of this machine`]);
    default:
      return cause;
  }
}
