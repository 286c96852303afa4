/** `stepwell doctor`: checks whether this machine and these settings are fit for a server. */
import type { Command } from 'commander';
import { type ClientOptions, clientCommand } from './client/client-command.js';

/** Changes nothing. A running server is queried, too; if none runs, the port is tested instead. */
export function doctorCommand(): Command {
  return clientCommand('doctor', 'check settings, disk, clock, ports, files and a destination', [
    'stepwell doctor',
    'stepwell doctor https://hooks.internal/in',
    'stepwell doctor --json | jq -r \'select(.verdict != "ok").said\'',
  ])
    .argument('[destination]', 'a URL, to check whether deliveries to it are allowed')
    .addHelpText('after', '\nThe exit code is 1 if a check fails.')
    .action(async (destination: string | undefined, options: ClientOptions) =>
      (await import('./engine.part.js')).actions.examine(destination, options),
    );
}
