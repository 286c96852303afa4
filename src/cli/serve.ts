/** What `start` and `dev` share: build, say so, end on a signal, and die of broken invariants. */
import { nodeDisk } from '../../storage/node-disk.js';
import { type Application, createApplication } from '../application.js';
import { allowedNetworks, type Config } from '../config.js';
import type { Credentials } from '../credentials.js';
import { systemClock } from '../engine/clock.js';
import { systemIdentifiers } from '../engine/identifiers.js';
import { createLog } from '../http/log.js';
import { exitCodeOf, exitCodes } from '../lifecycle/exit-codes.js';
import { say } from './terminal.js';

/** Runs the server until a signal ends it. Rejects if it cannot start. */
export async function serve(config: Config, credentials: Credentials): Promise<void> {
  const log = createLog(config.logLevel, process.stderr.isTTY === true);
  const fatal = (error: unknown): never => {
    log.fatal({ err: error }, 'the process cannot go on');
    process.exit(exitCodeOf(error));
  };
  // Nobody knows what state a process is in after an error nobody expected: a restart is safer.
  process.on('uncaughtException', fatal);
  process.on('unhandledRejection', fatal);
  const ports = { clock: systemClock, identifiers: systemIdentifiers, disk: nodeDisk, log, fatal };
  const application = await createApplication(config, credentials, ports);
  endOnSignals(application);
  for (const line of promises(config)) say(line);
  // Launchers of the published clients wait for this line.
  say(`Stepwell is running at ${application.url}`);
}

/** What the operator should know without asking: what an answer promises, what we may call. */
export function promises(config: Config): string[] {
  const { networks, hosts } = allowedNetworks(config);
  const reachable = ['the public internet', ...networks, ...hosts];
  return [
    `an acknowledgement means: ${promiseOf(config.fsync)}`,
    `deliveries may reach: ${reachable.join(', ')}`,
  ];
}

function promiseOf(fsync: Config['fsync']): string {
  if (fsync === 'strict') return 'on disk (fsync strict)';
  if (fsync === 'os') return 'handed to the operating system; a power cut may take it (fsync os)';
  return `on disk within ${fsync.intervalMs} ms; a power cut may take that much (fsync interval)`;
}

/** The first signal drains; a second one means it. */
function endOnSignals(application: Application): void {
  let signals = 0;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    signals += 1;
    if (signals > 1) process.exit(exitCodes.failure);
    const isClean = await application.stop(signal);
    process.exit(isClean ? exitCodes.fine : exitCodes.failure);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
}
